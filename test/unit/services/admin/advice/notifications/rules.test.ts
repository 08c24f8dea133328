import { expect } from 'chai';
import {
  type Cause,
  WAITING_EVENT,
  tell,
} from '../../../../../../services/admin/advice/notifications/rules.ts';
import { slackBody } from '../../../../../../services/admin/advice/webhooks/messages/slack.ts';

const HOSTILE = '\u202e % 001\u2069\u202e';
const DATA = [
  'user',
  'seenAt',
  'tokenName',
  'expiresAt',
  'subject',
  'subjectType',
  'changeRequestId',
  'createdBy',
] as const;

/** Every text of a cause is the same. */
const causeOf = (
  [kind, type]: readonly [Cause['kind'], string],
  text: string,
  left: readonly string[],
): Cause => ({
  id: '1',
  kind,
  type,
  project: text,
  environment: text,
  featureName: text,
  data: Object.fromEntries(DATA.filter((name) => !left.includes(name)).map((name) => [name, text])),
});

describe('what subscribers are told', () => {
  const kinds = [
    ['verdict-appeared', 'always_on'],
    ['verdict-ended', 'silent'],
    ['token-ending', 'client'],
    ['event', 'feature-created'],
    ['event', WAITING_EVENT],
  ] as const;
  for (const [kind, type] of kinds)
    for (const left of [[], ['changeRequestId'], ['user'], ['seenAt'], ['subject']])
      it(`isolates every name: ${kind} of ${type} without ${left.join()}`, () => {
        const { sentence } = tell(causeOf([kind, type], HOSTILE, left)).data;
        expect(sentence).to.include('\u202e');
        expect(sentence.replaceAll(/\u2068[^\u2068\u2069]*\u2069/g, '')).to.not.match(
          /[\u202a-\u202e\u2066-\u2069]/,
        );
        expect(tell(causeOf([kind, type], 'plain', left)).data.sentence).to.not.include('\u2068');
      });

  it('ends the isolates of a sentence that is cut for Slack before its link', () => {
    const data = { sentence: `\u2068${'\u202e'.repeat(500)}\u2069 is on`, page: 'events' };
    const message = { id: '1', type: 'event', at: new Date(0), data };
    expect(slackBody(message, 'https://flags.example.com')).to.match(/…\u2069 <https:/);
  });
});

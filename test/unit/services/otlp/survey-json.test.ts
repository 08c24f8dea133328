import { expect } from 'chai';
import { inOneGo } from '#core/counting';
import { surveyJson } from '../../../../services/ingest/opentelemetry/survey-json.ts';
import { logsBody } from '../../../support/senders/otlp/otlp-bodies.ts';

const BYTES = 1_000_000;
const many = (one: string): string => one.repeat(BYTES / one.length);
const numbered = (textOf: (index: number) => string): string =>
  Array.from({ length: BYTES / 12 }, (_, index) => textOf(index)).join(',');

const survey = (json: string) => () => {
  inOneGo(surveyJson(Buffer.from(json)));
};

describe('surveyJson', () => {
  it('accepts a body with as many evaluations as it may have', () => {
    const records = Array.from({ length: 10_000 }, (_, index) => ({
      time: 1n,
      name: 'feature_flag.evaluation',
      attributes: { key: `flag-${index}`, variant: 'on' },
    }));
    expect(survey(logsBody([{ records }]).json)).not.to.throw();
  });

  for (const [what, json] of [
    ['objects', `[${many('{},')}0]`],
    ['lists', `[${many('[],')}0]`],
    ['levels', `${many('[')}${many(']')}`],
    ['names of members', `{${numbered((index) => `"${index}":0`)}}`],
    ['objects with other names', `[${numbered((index) => `{"${index}":0}`)}]`],
    ['escaped names', `{${numbered((index) => `"\\"${index}":0`)}}`],
  ] as const)
    it(`rejects one with too many ${what}`, () => {
      expect(survey(json)).to.throw(/^The body has too many /);
    });

  it('does not count what is in texts', () => {
    expect(survey(`["${many('{\\"a\\":')}"]`)).not.to.throw();
  });

  it('leaves to the parser what is no JSON', () => {
    for (const json of ['', '"', '"\\', `"${many('x')}"${many(':')}`]) expect(survey(json)).not.to.throw();
  });

  it('takes many steps', () => {
    expect(Array.from(surveyJson(Buffer.from(`[${many('1,')}0]`))).length).to.be.above(BYTES / 32_768);
  });
});

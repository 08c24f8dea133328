import { expect } from 'chai';
import { DuplicateWindow, HISTORY_TOPIC, buildBlock, refusedOf } from '#core/counting';
import { countedOf, encodePage } from '#unleash/history';

const AT = Date.UTC(2026, 10, 21, 9);
const ENVELOPE = { batchId: 'unleash-history-1-0', receivedAt: AT, maxVariants: 100 };

describe('a page of rows of Unleash', () => {
  it('becomes a message that a block counts', () => {
    const { value } = encodePage(
      [aRow({ yes: '7', variants: [['blue', '7']] }), aRow({ app: 'other' })],
      ENVELOPE,
    );
    const { tally, days, deadLetters } = blockOf(value);

    expect(deadLetters).to.deep.equal([]);
    expect(tally).to.deep.equal({ received: 2, counted: 2, refused: 0, duplicate: 0, dead: 0 });
    expect([...days.values()]).to.deep.equal([{ yes: 7n, no: 0n, unknown: 0n, reports: 2n, variants: 7n }]);
  });

  it('counts a row of any age, because the plan has chosen it', () => {
    const { value } = encodePage([aRow({ at: AT - 700 * 86_400_000, no: '1' })], ENVELOPE);

    expect(blockOf(value).tally).to.include({ counted: 1 });
  });

  const invalid = [
    ['a negative count', { yes: '-1' }, '-1 (yes)'],
    ['a count above 2^53', { no: '9007199254740993' }, '9007199254740993 (no)'],
    ['a negative count of a variant', { variants: [['blue', '-3']] }, '-3 (blue)'],
  ] as const;
  for (const [title, parts, sample] of invalid)
    it(`refuses ${title} and counts the others`, () => {
      const message = encodePage([aRow(parts), aRow({ app: 'other', yes: '1' })], ENVELOPE);

      expect(message.refusals).to.have.length(1);
      expect(message.refusals[0]).to.include({ reason: 'invalid_count', sample, metrics: 1 });
      expect([countedOf(message), refusedOf(message.refusals, 'metric')]).to.deep.equal([1, 1]);
      expect(blockOf(message.value).tally).to.include({ received: 2, counted: 1, refused: 1 });
    });

  it('takes absent counts as 0', () => {
    const message = encodePage([aRow({ yes: null, no: null, variants: [['blue', null]] })], ENVELOPE);

    expect(countedOf(message)).to.equal(1);
  });
});

type Parts = {
  readonly app?: string;
  readonly at?: number;
  readonly yes?: string | null;
  readonly no?: string | null;
  readonly variants?: readonly (readonly [string, string | null])[];
};

function aRow({ app = 'shop', at = AT, yes = '0', no = '0', variants = [] }: Parts) {
  const names = { feature_name: 'checkout', app_name: app, environment: 'production' };
  return { ...names, at_ms: String(at), yes, no, variants };
}

function blockOf(value: Uint8Array) {
  const range = { topic: HISTORY_TOPIC, epoch: 1, partition: 1, from: 0n, to: 1n };
  return buildBlock(range, [{ offset: 0n, value, appendedAt: AT }], { duplicates: new DuplicateWindow(1) })
    .block;
}

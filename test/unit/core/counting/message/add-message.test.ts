import { expect } from 'chai';
import { type Block, DuplicateWindow, SeriesStates, buildBlock } from '#core/counting';
import { RECEIVED_AT, aCountsValue, aMetric } from '../../../../support/builders/builders.ts';
import { type GivenPoint, aPoint } from '../../../../support/builders/points.ts';
import { rowsOf } from '../../../../support/model/naive-sums.ts';
import { rangeOf } from '../../../../support/model/replay.ts';

const HOUR = Math.floor(RECEIVED_AT / 3_600_000);
const REASON = { reason: 'error', errorType: 'general', provider: 'goff' };

/** So that the second message has other numbers for its names and groups than the block. */
const OTHER_NAMES = aCountsValue({
  batchId: 'other',
  metrics: [aMetric({ featureName: 'one', appName: 'two' })],
});

describe('a message that is added to a block', () => {
  it('keeps the reasons of its evaluations, with error and provider', () => {
    const block = blockOf(aCountsValue({ metrics: [aMetric({ yes: 3 })], reasons: [REASON] }));
    expect(reasonsOf(block)).to.deep.equal([
      ['new-basket', 'checkout', 'production', HOUR, 'error', 'general', 'goff', 3],
    ]);
  });

  it('keeps the names, the hour and the reason of its points', () => {
    const at = RECEIVED_AT - 3_600_000;
    const block = blockOf(messageOf([{ value: 4, at, startedAt: at - 1000 }]));
    expect(reasonsOf(block)).to.deep.equal([
      ['counted', 'checkout', 'production', HOUR - 1, 'static', undefined, 'flagd', 4],
    ]);
    expect(rowsOf(block.sums)[1]).to.deep.include({ yes: 4, no: 0, variants: [['on', 4]] });
  });

  it('adds no variant for a point that has none', () => {
    const block = blockOf(messageOf([{ value: 4, variant: '', result: 'disabled' }]));
    expect(rowsOf(block.sums)[1]).to.deep.include({ yes: 0, no: 4, variants: [] });
  });

  it('keeps unknown results, of its rows and of its points', () => {
    const rows = aCountsValue({ batchId: 'rows', metrics: [aMetric({ yes: 3 })], unknown: 5 });
    const points = messageOf([
      { value: 4, variant: '', result: 'unknown' },
      { counter: 'two', value: 2, featureName: 'new-basket', variant: '', result: 'unknown' },
    ]);
    const block = blockOf(rows, points);
    expect(rowsOf(block.sums).slice(1)).to.deep.equal([
      aRow('new-basket', { reports: 2, yes: 3, unknown: 7 }),
      aRow('counted', { reports: 1, unknown: 4 }),
    ]);
    expect(block.days.get(Math.floor(HOUR / 24))).to.deep.include({ yes: 3n, no: 0n, unknown: 11n });
  });

  it('keeps its refusals beside its points', () => {
    const value = aCountsValue({
      metrics: [aMetric({ featureName: '' })],
      points: (sums) => [aPoint({ value: 4 }, sums)],
    });
    const { refusals, tally } = blockOf(value);
    expect(refusals.map(({ reason }) => reason)).to.deep.equal(['empty_name']);
    expect(tally).to.deep.include({ refused: 1, counted: 2 });
  });
});

function messageOf(points: readonly GivenPoint[]): Uint8Array {
  return aCountsValue({ metrics: [], points: (sums) => points.map((point) => aPoint(point, sums)) });
}

function aRow(feature: string, sums: Partial<ReturnType<typeof rowsOf>[number]>) {
  const key = [feature, 'checkout', 'production', HOUR];
  return { key, reports: 0, yes: 0, no: 0, unknown: 0, variants: [], ...sums };
}

/** A block of another message and these. */
function blockOf(...values: readonly Uint8Array[]): Block {
  const messages = [OTHER_NAMES, ...values].map((one, offset) => ({
    offset: BigInt(offset),
    value: one,
    appendedAt: RECEIVED_AT,
  }));
  const memory = { duplicates: new DuplicateWindow(1), series: new SeriesStates() };
  return buildBlock(rangeOf(messages), messages, memory).block;
}

function reasonsOf({ sums, reasons }: Block): unknown[] {
  const nameOf = (id: number | undefined) => (id === undefined ? undefined : sums.names[id]);
  return Array.from(reasons.sums.all(), ({ feature, group, reason, errorType, provider, count }) => [
    nameOf(feature),
    nameOf(sums.appOf(group)),
    nameOf(sums.environmentOf(group)),
    sums.hourOf(group),
    nameOf(reason),
    nameOf(errorType),
    nameOf(provider),
    count,
  ]);
}

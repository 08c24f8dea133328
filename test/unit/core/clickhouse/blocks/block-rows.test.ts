import { expect } from 'chai';
import type { Block } from '#core/counting';
import { encodeBlocks } from '../../../../../packages/core/clickhouse/blocks/rows/block-rows.ts';
import { MIXED_COLUMNS } from '../../../../../packages/core/clickhouse/blocks/rows/row-values.ts';
import { RECEIVED_AT } from '../../../../support/builders/builders.ts';
import { aMixedBlock } from './mixed-block.ts';

const HOUR_MS = 3_600_000;

/** The columns of a row that have other values than their defaults: an empty text, 0 or an empty list. */
type Row = Readonly<Record<string, unknown>>;

const YESTERDAY = hourAt(-24);
const BEFORE = hourAt(-1);
const NOW = hourAt(0);
const AFTER = hourAt(1);
const RECEIVED = RECEIVED_AT / 1000;
const MINUTE = RECEIVED;
const LATER_MINUTE = RECEIVED + 3600;

describe('the rows of a block', () => {
  let rows: Row[];

  beforeEach('encode a block', () => {
    rows = rowsOf(aMixedBlock());
  });

  const ofKind = (kind: string): Row[] =>
    rows.flatMap(({ kind: found, ...row }) => (found === kind ? [row] : []));

  it('have the evaluations and variants of each feature, application, environment, hour and minute of receipt', () => {
    const place = { app_name: 'checkout', environment: 'production', reports: 1 };
    const basket = { ...place, feature_name: 'new-basket', minute: MINUTE };
    expect(ofKind('count')).to.deep.equal([
      { ...basket, hour: YESTERDAY, yes: 2, no: 1, variants: ['on', 'off'], variant_counts: [2, 1] },
      { ...basket, hour: BEFORE, yes: 3, variants: ['on'], variant_counts: [3] },
      { ...basket, hour: NOW, yes: 4, variants: ['on'], variant_counts: [4] },
      { ...place, feature_name: 'other', hour: AFTER, minute: LATER_MINUTE, no: 5, unknown: 6 },
    ]);
  });

  it('have the evaluations with each reason and type of error', () => {
    const key = { feature_name: 'new-basket', app_name: 'checkout', environment: 'production' };
    const split = { ...key, reason: [{ reason: 'SPLIT', error_type: '', provider: '' }] };
    const error = { reason: 'ERROR', error_type: 'timeout', provider: '' };
    const failed = { ...key, reason: [error], reports: 1 };
    expect(ofKind('reason')).to.deep.equal([
      { ...split, hour: YESTERDAY, reports: 3 },
      { ...split, hour: BEFORE, reports: 3 },
      { ...split, hour: NOW, reports: 4 },
      { ...failed, hour: YESTERDAY },
      { ...failed, hour: BEFORE },
      { ...failed, hour: NOW },
    ]);
  });

  it('have each refusal with the second of its receipt', () => {
    const common = { hour: RECEIVED, reports: 1 };
    const tooOld = { reason: 'too_old', sample: 'timestamp: 2026-08-23T10:15:00.000Z' };
    const invalid = { reason: 'invalid_sample', sample: 'type: undefined' };
    expect(ofKind('refusal')).to.deep.equal([
      {
        ...common,
        feature_name: 'old',
        app_name: 'checkout',
        environment: 'production',
        refusal: [{ kind: 'metric', token_id: 'token', ...tooOld }],
      },
      { ...common, feature_name: 'broken', refusal: [{ kind: 'sample', token_id: 'token', ...invalid }] },
    ]);
  });

  it('have the sums of counters and histograms, and the range of gauges', () => {
    const labels = {
      label_names: ['appName', 'environment', 'new-basket'],
      label_values: ['checkout', 'production', 'blue'],
      help: 'Completed purchases',
    };
    const place = { app_name: 'checkout', environment: 'production' };
    const counter = { ...place, metric: [{ name: 'purchases', type: 'counter', ...labels }] };
    const purchases = { observations: '0', bucket_bounds: [], bucket_counts: [] };
    const histogram = {
      app_name: 'checkout',
      environment: 'default',
      metric: [
        {
          name: 'response_seconds',
          type: 'histogram',
          help: 'Response times',
          label_names: ['appName', 'new-basket'],
          label_values: ['checkout', 'blue'],
        },
      ],
      impact: [
        {
          samples: 1,
          total: '2250000000',
          observations: '6',
          bucket_bounds: ['0.1', '0.5', '+Inf'],
          bucket_counts: ['2', '3', '1'],
        },
      ],
    };
    expect(ofKind('impact')).to.deep.equal([
      { ...counter, hour: NOW, impact: [{ ...purchases, samples: 2, total: '34000000000' }] },
      { ...histogram, hour: NOW },
      { ...counter, hour: AFTER, impact: [{ ...purchases, samples: 1, total: '17000000000' }] },
      { ...histogram, hour: AFTER },
    ]);
    const gauge = { ...place, metric: [{ name: 'load', type: 'gauge', ...labels }] };
    const range = { instance_id: '', last: 17, lowest: 17, highest: 17 };
    expect(ofKind('gauge')).to.deep.equal([
      { ...gauge, hour: NOW, gauge: [{ ...range, at: `${RECEIVED}.000`, last: 12, lowest: 12 }] },
      { ...gauge, hour: AFTER, gauge: [{ ...range, at: `${RECEIVED + 3600}.000` }] },
    ]);
  });

  it('have markers with the messages of the block at each day, and with the sums of each minute, hour and reason', () => {
    const key = { app_name: 'counts:2:3' };
    const messages = '4';
    const midnight = Date.UTC(2026, 10, 21) / 1000;
    const variants = { variants: ['', 'sum'] };
    expect(ofKind('usage_mark')).to.deep.equal([
      { ...key, hour: YESTERDAY, yes: '2', no: '1', reports: messages, unknown: '0' },
      { ...key, hour: BEFORE, yes: '3', no: '0', reports: messages, unknown: '0' },
      { ...key, hour: NOW, yes: '4', no: '0', unknown: '0' },
      { ...key, hour: AFTER, yes: '0', no: '5', unknown: '6' },
    ]);
    expect(ofKind('variants_mark')).to.deep.equal([
      { ...key, hour: YESTERDAY, ...variants, variant_counts: [messages, '3'] },
      { ...key, hour: BEFORE, ...variants, variant_counts: [messages, '3'] },
      { ...key, hour: NOW, ...variants, variant_counts: [0, '4'] },
    ]);
    expect(ofKind('minutes_mark')).to.deep.equal([
      {
        ...key,
        minute: MINUTE,
        yes: '9',
        no: '1',
        reports: messages,
        variants: ['sum'],
        variant_counts: ['10'],
        unknown: '0',
      },
      { ...key, minute: LATER_MINUTE, yes: '0', no: '5', unknown: '6' },
    ]);
    const metric = { ...key, metric: [{}] };
    expect(ofKind('impact_mark')).to.deep.equal([
      { ...metric, hour: NOW, impact: [{ samples: messages, total: '36250000000', observations: '6' }] },
      { ...metric, hour: AFTER, impact: [{ samples: '0', total: '19250000000', observations: '6' }] },
    ]);
    expect(ofKind('reason_mark')).to.deep.equal([
      { ...key, hour: YESTERDAY, reports: messages, reason: [{}] },
      { ...key, hour: YESTERDAY, reports: '4', reason: [{ reason: 'sum' }] },
      { ...key, hour: BEFORE, reports: messages, reason: [{}] },
      { ...key, hour: BEFORE, reports: '4', reason: [{ reason: 'sum' }] },
      { ...key, hour: NOW, reports: '5', reason: [{ reason: 'sum' }] },
    ]);
    expect(ofKind('refusals_mark')).to.deep.equal([
      { ...key, hour: midnight, reports: messages, refusal: [{}] },
      { ...key, hour: midnight, reports: 1, refusal: [{ reason: 'too_old' }] },
      { ...key, hour: midnight, reports: 1, refusal: [{ reason: 'invalid_sample' }] },
    ]);
  });

  it('end with the block, its sums and the names of its markers', () => {
    const markersOf = (tables: readonly string[], date: string): string[] =>
      tables.map((table) => `${table} ${date}`);
    const counts = ['usage_hourly', 'usage_daily', 'variants_hourly', 'variants_daily'];
    const [{ block } = {}, ...others] = ofKind('block');
    expect(others).to.deep.equal([]);
    expect(block).to.deep.equal([
      {
        topic: 'counts',
        epoch: 2,
        partition: 3,
        from_offset: '5',
        to_offset: '9',
        received_from: `${RECEIVED}.000`,
        received_to: `${RECEIVED + 3602}.000`,
        appended_to: `${RECEIVED + 3602}.000`,
        received: 10,
        counted: 4,
        refused: 1,
        duplicate: 4,
        dead: 1,
        refused_reasons: ['too_old'],
        refused_counts: [1],
        days: [20_777, 20_778],
        day_yes: ['2', '7'],
        day_no: ['1', '5'],
        day_unknown: ['0', '6'],
        day_reports: ['1', '3'],
        day_variants: ['3', '7'],
        refusal_days: [20_778],
        day_refusals: [2],
        samples_received: 15,
        samples_counted: 8,
        samples_refused: 1,
        samples_duplicate: 6,
        impact_days: [20_778],
        day_samples: ['5'],
        day_totals: ['55500000000'],
        day_observations: ['12'],
        reason_days: [20_777, 20_778],
        day_evaluations: ['4', '9'],
        minute_days: [{ day: 20_778, yes: '9', no: '6', unknown: '6', reports: '4', variants: '10' }],
        spans: [],
        duplicate_batches: 1,
        batch_ids: ['first', 'second'],
        batch_times: [`${RECEIVED}.000`, `${RECEIVED + 3600}.000`],
        markers: [
          ...markersOf([...counts, 'reasons_hourly', 'reasons_daily'], '2026-11-20'),
          ...markersOf(
            [
              ...counts,
              'impact_hourly',
              'impact_daily',
              'reasons_hourly',
              'reasons_daily',
              'refusals_daily',
              'usage_minutely',
            ],
            '2026-11-21',
          ),
        ],
      },
    ]);
  });

  it('name the targets that they must not go to again', () => {
    const [piece = ''] = encodeBlocks([aMixedBlock()], ['usage_daily 202611']);
    const lines = piece.trimEnd().split('\n');

    expect(lines).to.have.length(rows.length);
    for (const line of lines) expect(JSON.parse(line)).to.have.deep.property('0', ['usage_daily 202611']);
  });

  it('leave in pieces of whole lines, which are made one after the other', () => {
    const block = aMixedBlock();
    const pieces = [...encodeBlocks(Array.from({ length: 40 }, () => block))];

    expect(pieces.length).to.be.above(1);
    for (const piece of pieces.slice(0, -1)) expect(piece.length).to.be.within(64 * 1024, 68 * 1024);
    expect(pieces.join('')).to.equal([...encodeBlocks([block])].join('').repeat(40));
    for (const piece of pieces) expect(piece.at(-1)).to.equal('\n');
  });
});

function hourAt(hours: number): number {
  return Math.floor((RECEIVED_AT + hours * HOUR_MS) / HOUR_MS) * 3600;
}

function rowsOf(block: Block): Row[] {
  const lines = [...encodeBlocks([block])].join('').trimEnd().split('\n');
  return lines.map((line) => {
    const values = JSON.parse(line) as unknown[]; // our own lines
    const entries = values.map((value, index) => [MIXED_COLUMNS[index] ?? '', value] as const);
    return Object.fromEntries(entries.filter(([, value]) => !isDefault(value)));
  });
}

function isDefault(value: unknown): boolean {
  return value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
}

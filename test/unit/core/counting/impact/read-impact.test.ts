import { expect } from 'chai';
import { DistinctNames, type ImpactSource, readImpact } from '#core/counting';
import { MAX_LABELS } from '../../../../../packages/core/counting/impact/labels.ts';
import {
  RECEIVED_AT,
  aCounter,
  aHistogram,
  aggregateOptions,
} from '../../../../support/builders/builders.ts';
import { DEFAULT_NAME_LIMITS } from '../../../../support/builders/name-limits.ts';

const HOUR = Math.floor(RECEIVED_AT / 3_600_000);
const PLACE = { appName: 'checkout', environment: 'production', instanceId: '', hour: HOUR };
const LABELS = {
  labelNames: ['appName', 'environment', 'new-basket'],
  labelValues: ['checkout', 'production', 'blue'],
};

describe('readImpact', () => {
  it('reads a counter in whole billionths, with its labels in order', () => {
    expect(read([aCounter()])).to.deep.equal({
      received: 1,
      samples: [
        {
          name: 'purchases',
          help: 'Completed purchases',
          type: 'counter',
          ...PLACE,
          ...LABELS,
          total: 17_000_000_000n,
        },
      ],
      refusals: [],
    });
  });

  it('reads the buckets of a histogram each alone', () => {
    const [sample] = read([aHistogram()]).samples;
    expect(sample).to.deep.include({
      total: 2_250_000_000n,
      observations: 6,
      buckets: [
        { bound: '0.1', count: 2 },
        { bound: '0.5', count: 3 },
        { bound: '+Inf', count: 1 },
      ],
    });
  });

  it('reads a gauge, also a negative one', () => {
    const [sample] = read([aCounter({ type: 'gauge', samples: [{ value: -0.5 }] })]).samples;
    expect(sample).to.deep.include({
      type: 'gauge',
      value: -0.5,
      appName: 'unknown',
      environment: 'default',
    });
  });

  it('treats an absent member and null as no samples', () => {
    for (const member of [undefined, null, []])
      expect(read(member)).to.deep.equal({ received: 0, samples: [], refusals: [] });
  });

  it('gives samples the environment of the token, whatever their labels say', () => {
    const { samples } = read([aCounter()], {}, 'development');
    expect(samples.map(({ environment }) => environment)).to.deep.equal(['development']);
  });

  it('takes what labels do not say from the body', () => {
    const source = { appName: 'shop', environment: 'staging', instanceId: 'shop-1' };
    expect(read([aCounter({ samples: [{ value: 1 }] })], source).samples[0]).to.deep.include(source);
  });

  it('makes texts of numbers, true and false in labels and names', () => {
    const labels = { size: 3, isNew: true };
    expect(read([aCounter({ name: 7, samples: [{ value: 1, labels }] })]).samples[0]).to.deep.include({
      name: '7',
      labelValues: ['true', '3'],
    });
  });

  it('treats a help that is no text as none', () => {
    expect(read([aCounter({ help: 7 })]).samples[0]).to.include({ help: '' });
  });

  it('takes as many labels as allowed', () => {
    const labels = Object.fromEntries(
      Array.from({ length: MAX_LABELS }, (_, index) => [`label-${index}`, 'x']),
    );
    const [sample] = read([aCounter({ samples: [{ value: 1, labels }] })]).samples;
    expect(sample?.labelNames).to.have.length(MAX_LABELS);
  });

  it('refuses a member that is no list as one sample', () => {
    const { received, refusals } = read(7);
    expect([received, refusals[0]?.sample]).to.deep.equal([1, 'metric: 7']);
  });

  const tooMany = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`label-${index}`, 'x']));
  const manyBuckets = Array.from({ length: 101 }, (_, index) => ({ le: index, count: 1 }));
  for (const [what, metric, reason, sample] of [
    ['a metric that is no object', 7, 'invalid_sample', 'metric: 7'],
    ['a metric without a name', aCounter({ name: undefined }), 'invalid_sample', 'name: undefined'],
    ['an empty name', aCounter({ name: '' }), 'empty_name', 'name: (empty)'],
    ['an unknown type', aCounter({ type: 'summary' }), 'invalid_sample', 'type: summary'],
    ['a metric without samples', aCounter({ samples: 7 }), 'invalid_sample', 'samples: undefined'],
    ['a sample that is no object', aCounter({ samples: ['x'] }), 'invalid_sample', 'samples: x'],
    ['a value that is text', aCounter({ samples: [{ value: 'x' }] }), 'invalid_sample', 'value: x'],
    ['a counter that falls', aCounter({ samples: [{ value: -1 }] }), 'invalid_sample', 'value: -1'],
    [
      'a value too large to add up',
      aCounter({ samples: [{ value: 1e16 }] }),
      'invalid_sample',
      'value: 10000000000000000',
    ],
    [
      'labels that are a list',
      aCounter({ samples: [{ value: 1, labels: ['a'] }] }),
      'invalid_sample',
      'labels: object',
    ],
    [
      'a label without a value',
      aCounter({ samples: [{ value: 1, labels: { size: null } }] }),
      'invalid_sample',
      'size: null',
    ],
    [
      'a label with a control character',
      aCounter({ samples: [{ value: 1, labels: { size: 'a\u0000' } }] }),
      'invalid_character',
      'size: a\ufffd',
    ],
    [
      'a label without a name',
      aCounter({ samples: [{ value: 1, labels: { '': 'x' } }] }),
      'empty_name',
      'label: (empty)',
    ],
    [
      'an environment that is too long',
      aCounter({ samples: [{ value: 1, labels: { environment: 'e'.repeat(101) } }] }),
      'name_too_long',
      `environment: ${'e'.repeat(64)}… (101 characters)`,
    ],
    [
      'too many labels',
      aCounter({ samples: [{ value: 1, labels: tooMany }] }),
      'too_many_labels',
      '31 labels',
    ],
    [
      'too many buckets',
      aHistogram({ samples: [{ count: 1, sum: 1, buckets: manyBuckets }] }),
      'too_many_buckets',
      '101 buckets',
    ],
  ] as const)
    it(`refuses ${what}, and counts the rest`, () => {
      const { received, samples, refusals } = read([metric, aCounter()]);
      expect(samples).to.have.length(1);
      expect(received).to.equal(2);
      expect(refusals.map((one) => [one.kind, one.reason, one.metrics, one.sample])).to.deep.equal([
        ['sample', reason, 1, sample],
      ]);
    });

  it('refuses each sample of a metric that does not fit', () => {
    const { received, refusals } = read([aCounter({ type: 'summary', samples: [{}, {}, {}] })]);
    expect([received, refusals[0]?.metrics]).to.deep.equal([3, 3]);
    expect(refusals[0]?.featureName).to.equal('purchases');
  });

  for (const [limits, other, reason, sample] of [
    [{ app: 1 }, { appName: 'shop' }, 'too_many_apps', 'appName: shop'],
    [{ environment: 1 }, { environment: 'test' }, 'too_many_environments', 'environment: test'],
    [{ series: 1 }, { size: 'L', colour: 'red' }, 'too_many_series', '2 labels'],
  ] as const)
    it(`shows the value that is refused as ${reason}`, () => {
      const names = new DistinctNames({ ...DEFAULT_NAME_LIMITS, ...limits }).of('token', HOUR);
      const samples = [{}, other].map((labels) => ({ value: 1, labels }));
      const { refusals } = readImpact([aCounter({ samples })], {}, { ...aggregateOptions(), names });
      expect(refusals.map((one) => [one.reason, one.sample])).to.deep.equal([[reason, sample]]);
    });

  it('takes ten lists of bounds of a histogram in an hour, whatever its instances', () => {
    const all = new DistinctNames(DEFAULT_NAME_LIMITS);
    const send = (bound: number, instance: number, labels = {}) => {
      const names = all.of('token', HOUR);
      const buckets = [{ le: bound, count: 1 }];
      const histogram = aHistogram({ samples: [{ labels, count: 1, sum: 1, buckets }] });
      const source = { instanceId: `instance-${instance}` };
      const { refusals } = readImpact([histogram], source, { ...aggregateOptions(), names });
      names.commit();
      return refusals.map(({ reason, sample }) => [reason, sample]);
    };
    for (let list = 0; list < 10; list += 1) expect(send(list, list)).to.deep.equal([]);
    expect(send(10, 10)).to.deep.equal([['too_many_bounds', 'bounds: 10 +Inf']]);
    expect(send(9, 11)).to.deep.equal([]);
    expect(send(10, 10, { size: 'L' })).to.deep.equal([]);
  });

  it('lets a refused sample take no room', () => {
    const names = new DistinctNames({ ...DEFAULT_NAME_LIMITS, series: 1 }).of('token', HOUR);
    const samples = [
      { value: 'x', labels: { size: 'L' } },
      { value: 1, labels: { size: 'M' } },
    ];
    const read = readImpact([aCounter({ samples })], {}, { ...aggregateOptions(), names });
    expect(read.samples.map(({ labelValues }) => labelValues)).to.deep.equal([['M']]);
  });

  it('refuses new series beyond the limit of the token, and counts known ones', () => {
    const all = new DistinctNames({ ...DEFAULT_NAME_LIMITS, series: 2 });
    const labelled = (...values: string[]) =>
      aCounter({ samples: values.map((size) => ({ value: 1, labels: { size } })) });
    const send = (metric: unknown) => {
      const names = all.of('token', HOUR);
      const result = readImpact([metric], {}, { ...aggregateOptions(), names });
      names.commit();
      return [result.samples.length, result.refusals.map(({ reason, metrics }) => [reason, metrics])];
    };
    expect(send(labelled('a', 'b', 'c'))).to.deep.equal([2, [['too_many_series', 1]]]);
    expect(send(labelled('b', 'd'))).to.deep.equal([1, [['too_many_series', 1]]]);
  });
});

function read(member: unknown, source: ImpactSource = {}, allowedEnvironment = '*') {
  return readImpact(member, source, aggregateOptions({ allowedEnvironment }));
}

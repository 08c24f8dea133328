import { expect } from 'chai';
import fc from 'fast-check';
import type { Application, Metric } from '#core/counting';
import {
  type ApplicationRefusal,
  type MetricRefusal,
  sampleOfApplication,
  sampleOfMetric,
  showValue,
} from '../../../../packages/core/counting/refusal-sample.ts';
import { batches } from '../../../support/builders/arbitraries.ts';
import {
  aBatch,
  anApplication,
  aggregate,
  aggregateMetric,
  aggregateMetrics,
} from '../../../support/builders/builders.ts';

const LONG = 'x'.repeat(300);
const SHOWN = `${'x'.repeat(64)}… (300 characters)`;
const MANY = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`v${n}`, 1]));

const METRICS: readonly (readonly [sample: string, metric: Partial<Metric>])[] = [
  ['timestamp: 1867-07-01T00:00:00Z', { timestamp: '1867-07-01T00:00:00Z' }],
  ['timestamp: 2099-01-01 00:00:00', { timestamp: '2099-01-01 00:00:00' }],
  ['120 variants', { variants: MANY }],
  ['featureName: (empty)', { featureName: '' }],
  ['featureName: a\uFFFDb', { featureName: 'a\0b' }],
  [`appName: ${SHOWN}`, { appName: LONG }],
  [`environment: ${'e'.repeat(64)}… (101 characters)`, { environment: 'e'.repeat(101) }],
  ['environment: development', { environment: 'development' }],
  [`variant: ${SHOWN}`, { variants: { [LONG]: 1 } }],
  [
    `featureName: ${'x'.repeat(63)}\uFFFD… (302 characters)`,
    { featureName: `${'x'.repeat(63)}🚀${'x'.repeat(237)}` },
  ],
];

const APPLICATIONS: readonly (readonly [sample: string, application: Partial<Application>])[] = [
  ['appName: (empty)', { appName: '' }],
  ['environment: a\uFFFDb', { environment: 'a\0b' }],
  [`instanceId: ${SHOWN}`, { instanceId: LONG }],
  ['sdkVersion: a\uFFFDb', { sdkVersion: 'a\nb' }],
  ['platformName: a\uFFFDb', { platformName: 'a\tb' }],
  [`platformVersion: ${SHOWN}`, { platformVersion: LONG }],
  [`yggdrasilVersion: ${SHOWN}`, { yggdrasilVersion: LONG }],
  [`relay: ${SHOWN}`, { connectVia: [aRelay('one'), { appName: LONG, instanceId: 'two' }] }],
  ['relay instance: a\uFFFDb', { connectVia: [aRelay('a\nb')] }],
  ['11 relays', { connectVia: Array.from({ length: 11 }, () => aRelay('one')) }],
  [`strategy: ${SHOWN}`, { strategies: ['default', LONG] }],
  [`project: ${SHOWN}`, { sdkType: '', projects: [LONG] }],
];

const METRIC = {
  featureName: 'f',
  appName: 'a',
  environment: 'e',
  timestamp: null,
  variants: { x: 1, y: 2 },
};

/** What is shown of METRIC for each reason; nothing for the last one, which is not true of it. */
const OF_METRIC: readonly (readonly [reason: MetricRefusal, sample: string])[] = [
  ['too_old', 'timestamp: (empty)'],
  ['too_many_environments', 'environment: e'],
  ['too_many_features', 'featureName: f'],
  ['too_many_apps', 'appName: a'],
  ['too_many_variant_names', '2 variants'],
  ['too_many_rows', '2 variants'],
  ['empty_name', ''],
];

const APPLICATION = {
  appName: 'a',
  environment: 'e',
  instanceId: 'i',
  strategies: ['s', 't'],
  projects: ['p'],
};

/** The same of APPLICATION, and of an application that has only a name. */
const OF_APPLICATION: readonly (readonly [reason: ApplicationRefusal, sample: string, ofName: string])[] = [
  ['too_many_apps', 'appName: a', 'appName: a'],
  ['too_many_environments', 'environment: e', 'environment: (empty)'],
  ['too_many_instances', 'instanceId: i', 'instanceId: (empty)'],
  ['too_many_strategies', '2 strategies', '0 strategies'],
  ['too_many_strategy_names', '2 strategies', '0 strategies'],
  ['too_many_projects', '1 projects', '0 projects'],
  ['too_many_project_names', '1 projects', '0 projects'],
  ['too_many_relays', '0 relays', '0 relays'],
  ['empty_name', '', ''],
];

function aRelay(instanceId: string) {
  return { appName: 'edge', instanceId };
}

describe('the sample of a refusal', () => {
  for (const [sample, metric] of METRICS) {
    it(`of a metric is ${sample.slice(0, 40)}`, () => {
      const { refusals } = aggregateMetric(metric, { allowedEnvironment: 'production' });
      expect(refusals.map((refusal) => refusal.sample)).to.deep.equal([sample]);
    });
  }

  for (const [sample, application] of APPLICATIONS) {
    it(`of an application is ${sample.slice(0, 40)}`, () => {
      const { refusals } = aggregate(aBatch({ applications: [anApplication(application)] }));
      expect(refusals.map((refusal) => refusal.sample)).to.deep.equal([sample]);
    });
  }

  for (const [reason, sample] of OF_METRIC)
    it(`of a metric is '${sample}' for ${reason}`, () => {
      expect(sampleOfMetric(METRIC, reason)).to.equal(sample);
    });

  for (const [reason, sample, ofName] of OF_APPLICATION)
    it(`of an application is '${sample}' for ${reason}, and '${ofName}' if it has only a name`, () => {
      expect(sampleOfApplication(APPLICATION, reason)).to.equal(sample);
      expect(sampleOfApplication({ appName: 'a' }, reason)).to.equal(ofName);
    });

  it('is of the name that has the problem: only the name of an application may not be empty', () => {
    const application = { appName: 'a'.repeat(101), environment: '', sdkVersion: '' };
    expect(sampleOfApplication(application, 'empty_name')).to.equal('');
    expect(sampleOfApplication(application, 'name_too_long')).to.equal('');
    expect(sampleOfApplication({ ...application, environment: 'e'.repeat(101) }, 'name_too_long')).to.include(
      'environment: ',
    );
  });

  it('shows 64 characters of a name', () => {
    expect(showValue('appName', 'x'.repeat(64))).to.equal(`appName: ${'x'.repeat(64)}`);
    expect(showValue('appName', 'x'.repeat(65))).to.equal(`appName: ${'x'.repeat(64)}… (65 characters)`);
  });

  it('is taken from the first of equal refusals', () => {
    const metrics = ['1867-07-01T00:00:00Z', '1868-07-01T00:00:00Z'].map((timestamp) => ({
      featureName: 'f',
      appName: 'a',
      environment: 'e',
      timestamp,
    }));
    const { refusals } = aggregateMetrics(metrics);
    expect(refusals.map(({ metrics: count, sample }) => [count, sample])).to.deep.equal([
      [2, 'timestamp: 1867-07-01T00:00:00Z'],
    ]);
  });

  it('exists, is short and can be stored, whatever is refused', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        for (const { sample } of aggregate(batch, { allowedEnvironment: 'production' }).refusals)
          expect(sample).to.match(/^[^\p{Cc}\p{Cs}]{1,100}$/u);
      }),
    );
  });
});

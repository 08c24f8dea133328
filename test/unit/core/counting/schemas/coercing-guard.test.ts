import { expect } from 'chai';
import fc from 'fast-check';
import {
  batchOfSdkMetrics,
  batchOfSdkRegistration,
  validateBatch,
  validateBatchAsUnleash,
} from '#core/counting';
import { batches } from '../../../../support/builders/arbitraries.ts';

const SCOPE = { environment: 'production', projects: [] };
const METRIC = { featureName: 'f', appName: 'a', environment: 'production' };

/** Members of a metric, and those of the batch that it becomes; undefined for a 400. */
const METRICS: readonly (readonly [sent: object, read: object | undefined])[] = [
  [
    { yes: '12', no: ' 3 ' },
    { yes: 12, no: 3 },
  ],
  [
    { yes: null, no: true },
    { yes: 0, no: 1 },
  ],
  [{ yes: '1e3' }, { yes: 1000 }],
  [{ yes: '' }, undefined],
  [{ yes: 'many' }, undefined],
  [{ yes: 1.5 }, undefined],
  [{ yes: '1.5' }, undefined],
  [{ yes: -1 }, undefined],
  [{ yes: '9007199254740993' }, undefined],
  [{ yes: [] }, undefined],
  [{ variants: { blue: '4', red: null } }, { variants: { blue: 4, red: 0 } }],
  [{ variants: null }, { variants: null }],
  [{ variants: [] }, undefined],
  [{ variants: { blue: '' } }, undefined],
  [{ timestamp: 1795168800000 }, { timestamp: '1795168800000' }],
  [{ timestamp: '1795168800000' }, { timestamp: '1795168800000' }],
  [{ timestamp: null }, { timestamp: null }],
  [{ timestamp: '' }, undefined],
  [{ timestamp: true }, undefined],
  [{ timestamp: '2026-11-20T10:00Z' }, undefined],
  [{ timestamp: 'Fri, 20 Nov 2026 10:00:00 GMT' }, undefined],
  [{ featureName: 5 }, { featureName: '5' }],
  [{ appName: null }, { appName: '' }],
  [{ environment: {} }, undefined],
];

const APPLICATIONS: readonly (readonly [sent: object, read: object | undefined])[] = [
  [{ interval: '2000' }, { interval: 2000 }],
  [{ interval: '' }, undefined],
  [{ started: 1795168800000 }, { started: '1795168800000' }],
  [{ started: 'yesterday' }, undefined],
  [{ strategies: ['default', null, 7] }, { strategies: ['default', '', '7'] }],
  [{ strategies: ['default', {}] }, undefined],
  [{ strategies: 'default' }, undefined],
  [{ sdkVersion: 4 }, { sdkVersion: '4' }],
];

describe('validateBatchAsUnleash', () => {
  for (const [sent, read] of METRICS)
    it(`${read === undefined ? 'rejects' : 'takes'} a metric with ${JSON.stringify(sent)}`, () => {
      const result = validateBatchAsUnleash({ applications: [], metrics: [METRIC, { ...METRIC, ...sent }] });
      if (read === undefined)
        expect(result)
          .to.have.nested.property('problems[0].path')
          .that.matches(/^.metrics.1./);
      else
        expect(result).to.deep.equal({
          batch: { applications: [], metrics: [METRIC, { ...METRIC, ...read }] },
        });
    });

  for (const [sent, read] of APPLICATIONS)
    it(`${read === undefined ? 'rejects' : 'takes'} an application with ${JSON.stringify(sent)}`, () => {
      const result = validateBatchAsUnleash({ applications: [{ appName: 'a', ...sent }], metrics: [] });
      if (read === undefined)
        expect(result)
          .to.have.nested.property('problems[0].path')
          .that.matches(/^.applications.0./);
      else
        expect(result).to.deep.equal({ batch: { applications: [{ appName: 'a', ...read }], metrics: [] } });
    });

  it('takes every batch that fits the contract', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        expect(validateBatch(batch)).to.have.property('batch');
        expect(validateBatchAsUnleash(structuredClone(batch))).to.have.property('batch');
      }),
    );
  });
});

describe('bodies of SDKs that Unleash takes', () => {
  it('may have a fraction for yes, which is rounded', () => {
    const toggles = { a: { yes: 2.5, no: 1 }, b: { yes: '0.4' } };
    const result = batchOfSdkMetrics({ appName: 'shop', bucket: { toggles } }, SCOPE);
    expect(result).to.have.nested.property('batch.metrics[0].yes', 3);
    expect(result).to.have.nested.property('batch.metrics[1].yes', 0);
  });

  it('may have any value in members that only the token or a relay knows', () => {
    const any = { environment: {}, sdkType: 7, projects: 'x', connectVia: [null] };
    const metrics = batchOfSdkMetrics({ appName: 'shop', ...any }, SCOPE);
    expect(metrics).to.have.nested.property('batch.applications[0].environment', 'production');
    const registration = batchOfSdkRegistration({ appName: 'shop', interval: '15', ...any }, SCOPE);
    expect(registration).to.have.nested.property('batch.applications[0]').that.deep.includes({
      appName: 'shop',
      environment: 'production',
      interval: 15,
      sdkType: null,
      connectVia: null,
      projects: [],
    });
  });
});

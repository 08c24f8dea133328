import { expect } from 'chai';
import {
  DEFAULT_REFUSAL_LIMITS,
  NO_NAMES,
  RefusalSums,
} from '../../../../packages/core/counting/refusals.ts';

const NAMED = { featureName: 'feature', appName: 'app', environment: 'production' };

describe('refusals of a batch', () => {
  let sums: RefusalSums;

  beforeEach(() => {
    sums = new RefusalSums();
  });

  it('by default begin 30 days in the past and 14 hours in the future', () => {
    expect(DEFAULT_REFUSAL_LIMITS).to.deep.equal({
      maxAgeMs: 2_592_000_000,
      maxFutureMs: 14 * 3_600_000,
      maxVariants: 100,
    });
  });

  it('have empty names for those that were not given', () => {
    sums.add({ kind: 'application', reason: 'too_many_apps' }, () => ({
      sample: '',
      place: '/applications/2',
    }));

    expect(sums.toArray()).to.deep.equal([
      {
        kind: 'application',
        reason: 'too_many_apps',
        featureName: '',
        appName: '',
        environment: '',
        metrics: 1,
        sample: '',
        place: '/applications/2',
      },
    ]);
  });

  it('have samples that the worker can read, whatever they show', () => {
    sums.add({ kind: 'metric', reason: 'invalid_count', ...NAMED }, () => ({
      sample: `a\u0000name\uD800${'x'.repeat(300)}`,
      place: '/metrics/0',
    }));

    expect(sums.toArray()[0]?.sample).to.match(/^a\uFFFDname\uFFFDx{248}$/);
  });

  it('lose the names of others after 100 different ones, and keep those of known ones', () => {
    const add = (featureName: string): void => {
      sums.add({ kind: 'metric', reason: 'too_old', ...NAMED, featureName }, () => ({
        sample: featureName,
        place: `/${featureName}`,
      }));
    };
    for (let feature = 0; feature < RefusalSums.MAX_DISTINCT; feature += 1) add(`feature-${feature}`);
    for (const featureName of ['feature-0', 'one more', 'another']) add(featureName);

    const array = sums.toArray();
    expect(array).to.have.lengthOf(RefusalSums.MAX_DISTINCT + 1);
    expect(array[0]).to.deep.include({ featureName: 'feature-0', metrics: 2, place: '/feature-0' });
    expect(array.at(-1)).to.deep.equal({
      kind: 'metric',
      reason: 'too_old',
      featureName: '',
      appName: '',
      environment: '',
      metrics: 2,
      sample: 'one more',
      place: '/one more',
    });
    expect(NO_NAMES).to.deep.equal({ featureName: '', appName: '', environment: '' });
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { type History, createHistory, featureVerdictsAt } from '../../../support/builders/history.ts';
import { isNight } from '../../../support/nightly.ts';
import { sharedWorld } from '../../../support/world.ts';
import { type PastOfFeature, verdictsOf } from './naive-verdicts.ts';

/** Many features per round, because most of the cost is the INSERTs and the query. */
const FEATURES_PER_ROUND = 60;
const ROUNDS = isNight() ? 12 : 1;

describe('the definitions of verdicts', () => {
  const world = sharedWorld();

  it('match a recomputation', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(aPast(), { minLength: FEATURES_PER_ROUND, maxLength: FEATURES_PER_ROUND }),
        async (pasts) => {
          round += 1;
          const names = pasts.map((_, index) => `round-${round}-feature-${index}`);
          const history = createHistory();
          const found = await readVerdicts(names, pasts, history);
          expect(names.map((name) => found.get(name) ?? [])).to.deep.equal(
            pasts.map((past) => verdictsOf(past, history.atS * 1000)),
          );
        },
      ),
      // Shrinking sixty features takes minutes. The difference names the failing one.
      { numRuns: ROUNDS, endOnFailure: true },
    );
  });

  async function readVerdicts(
    names: readonly string[],
    pasts: readonly PastOfFeature[],
    history: History,
  ): Promise<Map<string, string[]>> {
    for (const [index, { seen, days, hours, variantsOfDays, variantsOfHours }] of pasts.entries()) {
      const feature = names[index] ?? '';
      history.exists(feature);
      history.seen(feature, seen);
      for (const row of [...days, ...hours]) history.evaluated({ feature, ...row });
      for (const row of [...variantsOfDays, ...variantsOfHours]) history.served({ feature, ...row });
    }
    await history.write(world);
    const rows = await world.query<{ feature_name: string; verdicts: string[] }>(
      `select feature_name, arraySort(groupArray(verdict)) as verdicts
       from ${featureVerdictsAt(history.atS)}
       where feature_name in {names:Array(String)}
         and verdict in ('always_on', 'always_off', 'silent', 'cliff', 'drift', 'sum_check')
       group by feature_name`,
      { names },
    );
    return new Map(rows.map(({ feature_name, verdicts }) => [feature_name, verdicts]));
  }
});

/** Histories near the borders: most days are one-way, and most times lie near a boundary. */
function aPast(): fc.Arbitrary<PastOfFeature> {
  const daysAgo = fc.constantFrom(0, 1, 2, 7, 8, 29, 30, 31);
  const hoursAgo = fc.constantFrom(0, 1, 6, 7, 12, 13, 167, 168, 169, 174, 175, 180, 181);
  const count = fc.constantFrom(0, 1, 10, 499, 500, 501, 999, 1000, 1001, 5000);
  const app = fc.constantFrom('shop', 'billing');
  const variant = fc.constantFrom('red', 'blue', 'green');
  const first = fc.constantFrom(1, 600, 720, 721, 744, 2000);
  const last = fc.constantFrom(0, 1, 167, 168, 169, 400);
  return fc.record({
    seen: fc.record({ first, last }),
    days: fc.oneof(
      fc.array(fc.record({ daysAgo, app, yes: count, no: count }), { maxLength: 5 }),
      fc.array(fc.record({ daysAgo, app, yes: count, no: fc.constant(0) }), { maxLength: 5 }),
      fc.array(fc.record({ daysAgo, app, yes: fc.constant(0), no: count }), { maxLength: 5 }),
    ),
    hours: fc.array(fc.record({ hoursAgo, app, yes: count, no: count }), { maxLength: 6 }),
    variantsOfDays: fc.array(fc.record({ daysAgo, app, variant, count }), { maxLength: 5 }),
    variantsOfHours: fc.array(fc.record({ hoursAgo, app, variant, count }), { maxLength: 8 }),
  });
}

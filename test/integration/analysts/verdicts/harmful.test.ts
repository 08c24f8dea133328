import { expect } from 'chai';
import { type History, createHistory, featureVerdictsAt } from '../../../support/builders/history.ts';
import { isNight } from '../../../support/nightly.ts';
import { sharedWorld } from '../../../support/world.ts';
import { writeGuardedRollouts } from './guarded-rollouts.ts';

/** At most one of 100 harmless rollouts may be called harmful. */
const HARMLESS = isNight() ? 1000 : 200;
const EVERY_TWO_HOURS = [24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0];
/** How many hours ago somebody looked, by the chance of an alarm. Each look computes all verdicts. */
const LOOKS: Readonly<Record<string, readonly number[]>> = {
  0.01: isNight() ? EVERY_TWO_HOURS : [12, 0],
  0.2: isNight() ? EVERY_TWO_HOURS : [18, 12, 6, 0],
};

describe('the verdict harmful', () => {
  const world = sharedWorld();
  let history: History;
  /** As of now. */
  let found: readonly Harmful[];
  before(async () => {
    history = createHistory();
    writeGuardedRollouts(history, HARMLESS);
    await history.write(world);
    found = await harmful();
  });

  const foundOf = (prefix: string) => found.filter(({ feature_name }) => feature_name.startsWith(prefix));
  const withoutSentence = ({ sentence: _, ...row }: Harmful) => row;

  it('holds for guards that are worse for an arm than for its control', () => {
    expect(foundOf('arms-').map(withoutSentence)).to.deep.equal([
      { feature_name: 'arms-less', subject: 'purchases', value: 0.8, threshold: 1 },
      { feature_name: 'arms-more', subject: 'errors', value: 1.25, threshold: 1 },
      { feature_name: 'arms-much-more', subject: 'errors', value: 1.25, threshold: 1.1 },
      { feature_name: 'arms-none', subject: 'purchases', value: 0, threshold: 1 },
      { feature_name: 'arms-only', subject: 'errors', value: 200, threshold: 1 },
      { feature_name: 'arms-slower', subject: 'response_seconds', value: 2, threshold: 1 },
      { feature_name: 'arms-turning-off', subject: 'errors', value: 1.25, threshold: 1 },
    ]);
  });

  it('counts from the last time that the rollout was widened', () => {
    expect(foundOf('rollout-').map(({ feature_name }) => feature_name)).to.deep.equal([
      'rollout-narrowed-later',
      'rollout-of-context',
      'rollout-widened-before',
    ]);
  });

  it('compares each variant with the variant control, and leaves out who asks for no variant', () => {
    expect(foundOf('variants-').map(withoutSentence)).to.deep.equal([
      { feature_name: 'variants-of-control', subject: 'errors', value: 1.25, threshold: 1 },
    ]);
  });

  it('says in a sentence what happened', () => {
    const rows = foundOf('arms-').filter(({ feature_name }) =>
      ['arms-more', 'arms-slower'].includes(feature_name),
    );
    expect(rows.map(({ sentence }) => sentence.replace(/^Since \S{10} \S{5} UTC /, ''))).to.deep.equal([
      'the arm enabled has 5000 errors in 10000 evaluations, and disabled has 4000 in 10000. Chance does as much in fewer than 1 % of harmless rollouts.',
      'the arm enabled has 400 response_seconds above 0.5 in 1000 observations, and disabled has 200 in 1000. Chance does as much in fewer than 1 % of harmless rollouts.',
    ]);
  });

  it('finds 5 % more errors in 100,000 evaluations, and five errors more in a hundred', () => {
    expect(foundOf('rise-relative-')).to.have.length(50);
    expect(foundOf('rise-percent-')).to.have.length(50);
  });

  it(`stays quiet in at least 99 % of ${HARMLESS} harmless rollouts, whenever somebody looks`, async () => {
    const alarms = { 0.01: new Set<string>(), 0.2: new Set<string>() };
    for (const [chance, alarmed] of Object.entries(alarms))
      for (const hoursAgo of LOOKS[chance] ?? [])
        for (const { feature_name } of await harmful({ hoursAgo, chance }))
          if (feature_name.startsWith('harmless-')) alarmed.add(feature_name);
    expect(alarms[0.01].size).to.be.at.most(HARMLESS / 100);
    // With a greater chance there are alarms, so that this test can see some.
    expect(alarms[0.2].size).to.be.within(isNight() ? HARMLESS / 50 : 1, HARMLESS / 5);
  }).timeout(600_000);

  function harmful({ hoursAgo = 0, chance = '0.01' } = {}) {
    const view = featureVerdictsAt(history.atS - hoursAgo * 3600);
    return world.query<Harmful>(
      `select feature_name, subject, round(value, 6) as value, threshold, sentence
       from ${view.replace('harmful_chance = 0.01', `harmful_chance = ${chance}`)}
       where verdict = 'harmful'
       order by feature_name`,
    );
  }
});

type Harmful = {
  readonly feature_name: string;
  readonly subject: string;
  readonly value: number;
  readonly threshold: number;
  readonly sentence: string;
};

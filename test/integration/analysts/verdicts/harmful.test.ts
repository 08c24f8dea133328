import { expect } from 'chai';
import {
  type GuardOfHistory,
  type History,
  createHistory,
  featureVerdictsAt,
} from '../../../support/builders/history.ts';
import { type Random, createRandom } from '../../../support/builders/random.ts';
import { isNight } from '../../../support/nightly.ts';
import { type World, createWorld } from '../../../support/world.ts';

const ERRORS = { metric: 'errors', direction: 'up', threshold: 0, above: null, turn_off: false } as const;
const PURCHASES = { ...ERRORS, metric: 'purchases', direction: 'down' } as const;
const SLOW = { ...ERRORS, metric: 'response_seconds', above: 0.5 } as const;
/** At most one of 100 harmless rollouts may be called harmful. */
const HARMLESS = isNight() ? 1000 : 200;
const HALF_FOR_A_DAY = [{ hoursAgo: 24, percent: 50 }];

describe('the verdict harmful', () => {
  let world: World;
  let history: History;
  before(async () => {
    world = await createWorld();
    history = createHistory();
    writeArms(history);
    writeRollouts(history);
    writeVariants(history);
    await history.write(world);
  });
  after(() => world.dispose());

  it('holds for guards that are worse for an arm than for its control', async () => {
    expect(await harmful('arms-%')).to.deep.equal([
      { feature_name: 'arms-less', subject: 'purchases', value: 0.8, threshold: 1 },
      { feature_name: 'arms-more', subject: 'errors', value: 1.25, threshold: 1 },
      { feature_name: 'arms-much-more', subject: 'errors', value: 1.25, threshold: 1.1 },
      { feature_name: 'arms-none', subject: 'purchases', value: 0, threshold: 1 },
      { feature_name: 'arms-only', subject: 'errors', value: 200, threshold: 1 },
      { feature_name: 'arms-slower', subject: 'response_seconds', value: 2, threshold: 1 },
      { feature_name: 'arms-turning-off', subject: 'errors', value: 1.25, threshold: 1 },
    ]);
  });

  it('counts from the last time that the rollout was widened', async () => {
    expect((await harmful('rollout-%')).map(({ feature_name }) => feature_name)).to.deep.equal([
      'rollout-narrowed-later',
      'rollout-of-context',
      'rollout-widened-before',
    ]);
  });

  it('compares each variant with the variant control, and leaves out who asks for no variant', async () => {
    expect(await harmful('variants-%')).to.deep.equal([
      { feature_name: 'variants-of-control', subject: 'errors', value: 1.25, threshold: 1 },
    ]);
  });

  it('says in a sentence what happened', async () => {
    const rows = await world.query<{ sentence: string }>(
      `select sentence from ${featureVerdictsAt(history.atS)} where feature_name in ('arms-more', 'arms-slower') order by feature_name`,
    );
    expect(rows.map(({ sentence }) => sentence.replace(/^Since \S{10} \S{5} /, ''))).to.deep.equal([
      'the arm enabled has 5000 errors in 10000 evaluations, and disabled has 4000 in 10000. Chance does as much in fewer than 1 % of harmless rollouts.',
      'the arm enabled has 400 response_seconds above 0.5 in 1000 observations, and disabled has 200 in 1000. Chance does as much in fewer than 1 % of harmless rollouts.',
    ]);
  });

  it('finds 5 % more errors in 100,000 evaluations, and five errors more in a hundred', async () => {
    const random = createRandom(1);
    const rates = { relative: [1, 1.05], percent: [0.01, 0.06] } as const;
    for (const [name, [ofControl, ofArm]] of Object.entries(rates))
      for (let seed = 0; seed < 50; seed += 1)
        for (let hoursAgo = 1; hoursAgo <= 10; hoursAgo += 1) {
          const feature = `rise-${name}-${seed}`;
          if (hoursAgo === 1) history.guarded(feature, { guards: [ERRORS], rollouts: HALF_FOR_A_DAY });
          history.evaluated({ feature, hoursAgo, yes: 5000, no: 5000 });
          compare(history, {
            feature,
            hoursAgo,
            arm: poisson(random, 5000 * ofArm),
            control: poisson(random, 5000 * ofControl),
          });
        }
    await history.write(world);
    expect(await harmful('rise-relative-%')).to.have.length(50);
    expect(await harmful('rise-percent-%')).to.have.length(50);
  });

  it(`stays quiet in at least 99 % of ${HARMLESS} harmless rollouts, whenever somebody looks`, async () => {
    const random = createRandom(2);
    for (let seed = 0; seed < HARMLESS; seed += 1) {
      const feature = `harmless-${seed}`;
      const share = random.pick([0.05, 0.5, 0.8]);
      history.guarded(feature, { guards: [ERRORS], rollouts: HALF_FOR_A_DAY });
      for (let hoursAgo = 1; hoursAgo <= 24; hoursAgo += 1) {
        const yes = Math.round(1000 * share);
        // Errors of both arms come and go with the hour.
        const rate = hoursAgo % 6 === 0 ? 3 : 1;
        history.evaluated({ feature, hoursAgo, yes, no: 1000 - yes });
        compare(history, {
          feature,
          hoursAgo,
          arm: poisson(random, yes * rate),
          control: poisson(random, (1000 - yes) * rate),
        });
      }
    }
    await history.write(world);
    const alarms = { 0.01: new Set<string>(), 0.2: new Set<string>() };
    for (let hoursAgo = 24; hoursAgo >= 0; hoursAgo -= 2)
      for (const [chance, alarmed] of Object.entries(alarms))
        for (const { feature_name } of await harmful('harmless-%', { hoursAgo, chance }))
          alarmed.add(feature_name);
    expect(alarms[0.01].size).to.be.at.most(HARMLESS / 100);
    // With a greater chance there are alarms, so that this test can see some.
    expect(alarms[0.2].size).to.be.within(HARMLESS / 50, HARMLESS / 5);
  }).timeout(600_000);

  function harmful(pattern: string, { hoursAgo = 0, chance = '0.01' } = {}) {
    const view = featureVerdictsAt(history.atS - hoursAgo * 3600);
    return world.query<{ feature_name: string; subject: string; value: number; threshold: number }>(
      `select feature_name, subject, round(value, 6) as value, threshold
       from ${view.replace('harmful_chance = 0.01', `harmful_chance = ${chance}`)}
       where verdict = 'harmful'
         and feature_name like {pattern:String}
       order by feature_name`,
      { pattern },
    );
  }
});

type Compared = {
  readonly feature: string;
  readonly hoursAgo: number;
  readonly arm: number;
  readonly control: number;
};

function compare(history: History, { feature, hoursAgo, arm, control }: Compared, metric = 'errors'): void {
  const of = { feature, hoursAgo, metric };
  if (arm > 0) history.measured({ ...of, arm: 'enabled', value: arm });
  if (control > 0) history.measured({ ...of, arm: 'disabled', value: control });
}

function writeArms(history: History): void {
  const arms = (
    name: string,
    guards: readonly GuardOfHistory[],
    { arm, control, isArchived = false }: { arm: number; control: number; isArchived?: boolean },
  ): void => {
    const feature = `arms-${name}`;
    history.guarded(feature, { guards, rollouts: HALF_FOR_A_DAY, isArchived });
    history.evaluated({ feature, hoursAgo: 0, yes: 10_000, no: 10_000 });
    history.evaluated({ feature, hoursAgo: 0, yes: 99_999, app: 'measures-nothing' });
    compare(history, { feature, hoursAgo: 0, arm, control }, guards[0]?.metric);
  };
  arms('more', [ERRORS], { arm: 5000, control: 4000 });
  arms('more-archived', [ERRORS], { arm: 5000, control: 4000, isArchived: true });
  arms('much-more', [{ ...ERRORS, threshold: 0.1 }], { arm: 5000, control: 4000 });
  arms('more-as-accepted', [{ ...ERRORS, threshold: 0.25 }], { arm: 5000, control: 4000 });
  arms('more-by-chance', [ERRORS], { arm: 4100, control: 4000 });
  arms('more-purchases', [PURCHASES], { arm: 5000, control: 4000 });
  arms('less', [PURCHASES], { arm: 4000, control: 5000 });
  arms('less-as-accepted', [{ ...PURCHASES, threshold: 0.2 }], { arm: 4000, control: 5000 });
  arms('none', [PURCHASES], { arm: 0, control: 200 });
  arms('only', [ERRORS], { arm: 200, control: 0 });
  arms('unguarded', [{ ...ERRORS, metric: 'other' }], { arm: 0, control: 0 });
  arms('turning-off', [SLOW, { ...ERRORS, turn_off: true }], { arm: 0, control: 0 });
  compare(history, { feature: 'arms-turning-off', hoursAgo: 0, arm: 5000, control: 4000 });
  for (const feature of ['arms-turning-off', 'arms-slower']) {
    const of = { feature, hoursAgo: 0, metric: 'response_seconds' };
    history.measured({ ...of, arm: 'enabled', buckets: { 0.5: 600, 1: 300, '+Inf': 100 } });
    history.measured({ ...of, arm: 'disabled', buckets: { 0.5: 800, 1: 200 } });
  }
  history.guarded('arms-slower', { guards: [SLOW], rollouts: HALF_FOR_A_DAY });
}

/** Each has harm in the hours before the last ten, and none since then. */
function writeRollouts(history: History): void {
  const rollouts = {
    'widened-before': [{ hoursAgo: 24, percent: 50 }],
    'widened-since': [
      { hoursAgo: 24, percent: 50 },
      { hoursAgo: 10, percent: 60 },
    ],
    'narrowed-later': [
      { hoursAgo: 24, percent: 50 },
      { hoursAgo: 10, percent: 40 },
    ],
    'turned-off': [
      { hoursAgo: 24, percent: 50 },
      { hoursAgo: 10, percent: 0 },
    ],
    'turned-on-again': [
      { hoursAgo: 24, percent: 50 },
      { hoursAgo: 11, percent: 0 },
      { hoursAgo: 10, percent: 50 },
    ],
    'of-context': [{ hoursAgo: 24, percent: null }],
    'of-other-context': [
      { hoursAgo: 24, percent: null },
      { hoursAgo: 10, percent: null },
    ],
    'nobody-gets': [{ hoursAgo: 24, percent: 0 }],
  };
  for (const [name, changes] of Object.entries(rollouts)) {
    const feature = `rollout-${name}`;
    history.guarded(feature, { guards: [ERRORS], rollouts: changes });
    history.evaluated({ feature, hoursAgo: 12, yes: 1000, no: 1000 });
    compare(history, { feature, hoursAgo: 12, arm: 600, control: 300 });
    history.evaluated({ feature, hoursAgo: 9, yes: 100, no: 100 });
    compare(history, { feature, hoursAgo: 9, arm: 30, control: 30 });
  }
}

function writeVariants(history: History): void {
  const common = { hoursAgo: 1, app: 'shop' };
  const variants = (
    feature: string,
    guard: GuardOfHistory,
    events: Readonly<Record<string, number>>,
  ): void => {
    history.guarded(feature, { guards: [guard], rollouts: HALF_FOR_A_DAY });
    // Half of the evaluations only ask whether the feature is on.
    history.evaluated({ feature, ...common, yes: 60_000, no: 10_000 });
    for (const [arm, value] of Object.entries(events)) {
      history.served({ feature, ...common, variant: arm, count: 10_000 });
      history.measured({ feature, ...common, metric: guard.metric, arm, value });
    }
    history.served({ feature, ...common, variant: 'disabled', count: 10_000 });
  };
  variants('variants-of-control', ERRORS, { control: 4000, blue: 4000, green: 5000 });
  variants('variants-alike', PURCHASES, { control: 4000, blue: 4000, green: 4000 });
}

/** A Poisson-distributed number; from a mean of 100 on approximated by a normal one. */
function poisson(random: Random, mean: number): number {
  if (mean >= 100) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  let count = -1;
  for (let product = 1; product > Math.exp(-mean); product *= random.next()) count += 1;
  return count;
}

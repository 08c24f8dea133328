import type { GuardOfHistory, History } from '../../../support/builders/history.ts';
import { createRandom, poisson } from '../../../support/builders/random.ts';

const ERRORS = { metric: 'errors', direction: 'up', threshold: 0, above: null, turn_off: [] } as const;
const PURCHASES = { ...ERRORS, metric: 'purchases', direction: 'down' } as const;
const SLOW = { ...ERRORS, metric: 'response_seconds', above: 0.5 } as const;
const HALF_FOR_A_DAY = [{ hoursAgo: 24, percent: 50 }];

/** Rollouts of each kind, and a number of harmless ones. */
export function writeGuardedRollouts(history: History, harmless: number): void {
  writeArms(history);
  writeRollouts(history);
  writeVariants(history);
  writeRises(history);
  writeHarmless(history, harmless);
}

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
  arms('turning-off', [SLOW, { ...ERRORS, turn_off: ['production'] }], { arm: 0, control: 0 });
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
    'begun-since': [{ hoursAgo: 10, percent: 50 }],
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

function writeRises(history: History): void {
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
}

function writeHarmless(history: History, harmless: number): void {
  const random = createRandom(2);
  for (let seed = 0; seed < harmless; seed += 1) {
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
}

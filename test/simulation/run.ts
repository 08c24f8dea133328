import { ALL_FAULTS, type FaultName } from './faults/faults.ts';
import { injectFaults } from './faults/inject.ts';
import { imposeQuotas } from './faults/quota.ts';
import { chooseIncident } from './incidents/choose.ts';
import { isMirrored } from './oracle/judges/judge-mirror.ts';
import { MOMENT_STEPS, judgeMoment } from './oracle/moment.ts';
import { judgeEnd } from './oracle/oracle.ts';
import { withSteps } from './time/schedule.ts';
import { enterSimulation } from './time/virtual-time.ts';
import { APPLICATIONS, APPLICATIONS_GROUP, COUNTS, COUNTS_GROUP } from './names.ts';
import { World } from './world.ts';

export type RunOptions = {
  readonly seed: number;
  /** Events with faults. After them faults end, and everything must drain. */
  readonly steps: number;
  readonly faults?: readonly FaultName[];
  /** Gets each event, and each line of a log. */
  readonly onLine?: ((line: string) => void) | undefined;
};

export type Result = {
  readonly seed: number;
  readonly steps: number;
  readonly hash: number;
  readonly violations: readonly string[];
  readonly faults: readonly string[];
  readonly simulatedMs: number;
  readonly evaluations: number;
};

/** After the last fault everything must drain within this time. */
const DRAIN_MS = 600_000;

/** Runs one world. Equal options give equal results. */
export function simulate(options: RunOptions): Promise<Result> {
  return withSteps(() => runWorld(options));
}

function runWorld({ seed, steps, faults = ALL_FAULTS, onLine }: RunOptions): Result {
  const chosen = chooseIncident(seed);
  const { isLossy = false, shape = {} } = chosen ?? {};
  const world = new World(seed, { onLine, isLossy, shape });
  const { schedule } = world;
  const startedAt = schedule.now;
  enterSimulation(schedule, world.codeRandom);
  if (onLine !== undefined)
    schedule.onEvent = (at, actor, label) => {
      onLine(`${schedule.steps} ${((at - startedAt) / 1000).toFixed(3)} ${actor}: ${label}`);
    };
  world.start();
  const incident = chosen?.begin(world);
  if (incident !== undefined) world.explainsFailure = (code) => incident.explains(code);
  const injected = injectFaults(world, seed, faults);
  const liftQuotas = imposeQuotas(world, seed);
  const step = (): void => {
    schedule.step();
    if (schedule.steps % MOMENT_STEPS === 0) for (const text of judgeMoment(world)) world.report(text);
  };
  const isLasting = (): boolean => schedule.steps < steps || schedule.now < (incident?.lastsUntil?.() ?? 0);
  while (isLasting() && world.violations.length === 0) step();
  injected.end();
  liftQuotas();
  incident?.end();
  for (const sender of world.senders) sender.finish();
  const deadline = schedule.now + DRAIN_MS;
  while (schedule.now < deadline && world.violations.length === 0 && !isDrained(world)) step();
  if (world.violations.length === 0 && !isDrained(world))
    world.report(`not drained ${DRAIN_MS / 1000} s after the last fault`);
  const judge = (): string[] => [...judgeEnd(world), ...(incident?.judge() ?? [])];
  const violations = [...world.violations, ...(world.violations.length === 0 ? judge() : [])];
  return {
    seed,
    steps: schedule.steps,
    hash: schedule.hash,
    violations,
    faults: [...injected.begun, ...(incident?.log ?? [])],
    simulatedMs: schedule.now - startedAt,
    evaluations: [...world.recorded.values()].reduce((sum, count) => sum + count, 0),
  };
}

function isDrained(world: World): boolean {
  if (!world.senders.every((sender) => sender.isFinished())) return false;
  if (world.brokers.partitionCount(COUNTS) === 0) return false;
  const group = world.brokers.groupOf(COUNTS_GROUP, COUNTS);
  for (let partition = 0; partition < world.partitions; partition += 1) {
    const { offset = '0', metadata = '' } = group.committed.get(partition) ?? {};
    if (Number(offset) !== world.brokers.logOf(COUNTS, partition).replicatedTo || metadata !== '')
      return false;
  }
  const applications =
    world.brokers.groupOf(APPLICATIONS_GROUP, APPLICATIONS).committed.get(0)?.offset ?? '0';
  if (Number(applications) !== world.brokers.logOf(APPLICATIONS, 0).replicatedTo) return false;
  return world.clickhouse.every(({ stored }) => stored.isComplete) && isMirrored(world);
}

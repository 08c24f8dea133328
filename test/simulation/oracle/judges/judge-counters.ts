import type { Content, CounterState } from '../../clickhouse/content.ts';
import type { Export, SimulatedExporter } from '../../processes/exporter.ts';
import type { World } from '../../world.ts';
import { isAccepted } from '../expected.ts';

const USAGE = ['usage_hourly', 'usage_daily', 'usage_minutely'];
const WITH_VARIANTS = [...USAGE, 'variants_hourly', 'variants_daily'];

/**
 * A counter that adds up from its start counts once: at least the highest value that was accepted, at most the highest that was sent,
 * for each start. All counts together are the last values that the worker remembers.
 */
export function* judgeCounters(world: World, content: Content): Generator<string> {
  yield* mostOfCounters(world, content);
  let counted = 0;
  for (const exporter of world.exporters)
    for (const [feature, { least }] of boundsOf(exporter)) {
      counted += content.evaluations.get(`usage_hourly ${feature}`) ?? 0;
      // A lost value is made up by the next one, if there is one.
      const must = world.losses.length + world.lostLogs.length > 0 ? 0 : least;
      for (const table of tablesOf(exporter, feature)) {
        const found = content.evaluations.get(`${table} ${feature}`) ?? 0;
        if (found < must)
          yield `lost: ${table} has ${found} of the counter ${feature}, accepted were ${must}`;
      }
    }
  let remembered = 0;
  for (const { series, state } of lastStates(content)) {
    const [value = 0, , isBroken] = state;
    remembered += value;
    if (isBroken === 1) yield `the counter ${series} is broken, but its value never fell`;
  }
  if (remembered !== counted)
    yield `counters have ${counted} evaluations, their last values are ${remembered}`;
}

/** No table has more of a counter than was sent. */
export function* mostOfCounters({ exporters }: World, content: Content): Generator<string> {
  for (const exporter of exporters)
    for (const [feature, { most }] of boundsOf(exporter))
      for (const table of tablesOf(exporter, feature)) {
        const found = content.evaluations.get(`${table} ${feature}`) ?? 0;
        if (found > most) yield `doubled: ${table} has ${found} of the counter ${feature}, sent were ${most}`;
      }
}

function tablesOf({ outcomes }: SimulatedExporter, feature: string): readonly string[] {
  return outcomes.get(feature)?.hasVariant === true ? WITH_VARIANTS : USAGE;
}

type Bounds = { readonly least: number; readonly most: number };

/** By feature, over all starts of its counter. */
function boundsOf({ exports }: SimulatedExporter): Map<string, Bounds> {
  const starts = new Map<string, Bounds & { readonly feature: string }>();
  for (const one of exports)
    for (const [feature, value] of one.kind === 'counters' ? one.items : []) {
      const key = `${feature} ${one.startedAt}`;
      const { least = 0, most = 0 } = starts.get(key) ?? {};
      starts.set(key, {
        feature,
        least: isAccepted(one) ? Math.max(least, value) : least,
        most: mayBeStored(one) ? Math.max(most, value) : most,
      });
    }
  const bounds = new Map<string, Bounds>();
  for (const { feature, least, most } of starts.values()) {
    const sum = bounds.get(feature) ?? { least: 0, most: 0 };
    bounds.set(feature, { least: sum.least + least, most: sum.most + most });
  }
  return bounds;
}

function mayBeStored(one: Export): boolean {
  return isAccepted(one) || one.tries.some(({ status }) => status === undefined);
}

/** The last state of each counter, whatever its day and epoch. */
function lastStates({ counters }: Content): Iterable<CounterState> {
  const last = new Map<string, CounterState>();
  for (const state of counters.values()) {
    const key = `${state.token} ${state.series} ${state.startedAt}`;
    const known = last.get(key);
    const isLater =
      known === undefined ||
      state.epoch > known.epoch ||
      (state.epoch === known.epoch && state.to > known.to);
    if (isLater) last.set(key, state);
  }
  return last.values();
}

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { PostgresClient } from '#base/postgres';
import { type Denial, notFound, notValid } from '../../../denial.ts';
import { type NewEvent, recordEvent } from '../../../record/events/store/record-event.ts';
import { type StrategyProblem, problemsOfStrategy, withDefaults } from '../rules.ts';
import { MAX_STRATEGIES, type FeatureStrategy, type SortOrder, type StrategyContent } from '../schema.ts';
import {
  type StoredStrategy,
  type StrategyPlace,
  readDefinitions,
  readStrategies,
  writeStrategies,
} from './rows.ts';

/** A change of the strategies that a feature has in an environment. Change requests name the actions in the same way. */
export type StrategyChange =
  | { readonly action: 'addStrategy'; readonly content: StrategyContent }
  | { readonly action: 'updateStrategy'; readonly id: string; readonly content: StrategyContent }
  | { readonly action: 'deleteStrategy'; readonly id: string }
  | { readonly action: 'reorderStrategy'; readonly order: SortOrder };

/** Bounded, because every reader of an environment gets all of its strategies. */
const MAX_BYTES = 256 * 1024;

/**
 * Makes the change and writes one event. The caller has locked the feature. Returns the strategy; undefined after a removal and after
 * a new order.
 */
export async function changeStrategies(
  client: PostgresClient,
  place: StrategyPlace,
  change: StrategyChange,
): Promise<FeatureStrategy | undefined> {
  const before = await readStrategies(client, place);
  const problems = 'content' in change ? await problemsWith(client, place.feature, change.content) : [];
  if (problems.length > 0) throw invalid(problems);
  const step = stepOf(before, change, place.feature);
  if (step === undefined) throw unknownStrategy();
  const { after, id, event } = step;
  const excess = excessOf(after);
  if (excess !== undefined) throw invalid([{ path: '', message: excess }]);
  if (!isDeepStrictEqual(after, before)) {
    const { project, feature, environment, caller, changeRequestId } = place;
    await writeStrategies(client, place, after);
    await recordEvent(client, {
      ...event,
      caller,
      project,
      environment,
      featureName: feature,
      changeRequestId,
    });
  }
  const sortOrder = after.findIndex((strategy) => strategy.id === id);
  const strategy = after[sortOrder];
  return strategy && { ...strategy, sortOrder };
}

function invalid(problems: readonly StrategyProblem[]): Denial {
  return notValid('The strategy is not valid.', problems);
}

export function unknownStrategy(): Denial {
  return notFound('This feature has no such strategy in this environment.');
}

/** What is wrong with a strategy of the feature, apart from its schema. */
export async function problemsWith(
  client: PostgresClient,
  feature: string,
  content: StrategyContent,
): Promise<readonly StrategyProblem[]> {
  const definitions = await readDefinitions(client, content.name);
  if (definitions === undefined) return [{ path: '/name', message: 'is not a strategy type' }];
  return problemsOfStrategy({ ...content, parameters: withDefaults(content, feature) }, definitions);
}

function excessOf(strategies: readonly StoredStrategy[]): string | undefined {
  return strategies.length > MAX_STRATEGIES || Buffer.byteLength(JSON.stringify(strategies)) > MAX_BYTES
    ? `a feature has at most ${MAX_STRATEGIES} strategies with ${MAX_BYTES / 1024} KiB in an environment`
    : undefined;
}

type Step = {
  readonly after: readonly StoredStrategy[];
  /** The strategy to return. */
  readonly id?: string;
  readonly event: Pick<NewEvent, 'type' | 'data' | 'preData'>;
};

/** Undefined if the change names a strategy that does not exist. */
function stepOf(
  before: readonly StoredStrategy[],
  change: StrategyChange,
  feature: string,
): Step | undefined {
  if (change.action === 'addStrategy') {
    const data = storedOf(randomUUID(), change.content, feature);
    return { after: [...before, data], id: data.id, event: { type: 'feature-strategy-add', data } };
  }
  if (change.action === 'reorderStrategy') return reorder(before, change.order);
  const { id } = change;
  const preData = before.find((strategy) => strategy.id === id);
  if (preData === undefined) return undefined;
  if (change.action === 'deleteStrategy')
    return {
      after: before.filter((strategy) => strategy !== preData),
      event: { type: 'feature-strategy-remove', preData },
    };
  const data = storedOf(id, change.content, feature);
  return {
    after: before.map((strategy) => (strategy === preData ? data : strategy)),
    id,
    event: { type: 'feature-strategy-update', data, preData },
  };
}

/** The order stays stable for strategies with the same position. */
function reorder(before: readonly StoredStrategy[], order: SortOrder): Step | undefined {
  const positions = new Map<string | null, number>(order.map(({ id, sortOrder }) => [id, sortOrder]));
  const known = new Set(before.map(({ id }) => id));
  if (order.some(({ id }) => !known.has(id))) return undefined;
  const after = before
    .map((strategy, index) => ({ strategy, position: positions.get(strategy.id) ?? index }))
    .sort((one, other) => one.position - other.position)
    .map(({ strategy }) => strategy);
  const idsOf = (strategies: readonly StoredStrategy[]) => ({ strategyIds: strategies.map(({ id }) => id) });
  return {
    after,
    event: { type: 'strategy-order-changed', data: idsOf(after), preData: idsOf(before) },
  };
}

function storedOf(id: string, content: StrategyContent, feature: string) {
  const { name, title = null, disabled = false, constraints = [], segments = [], variants = [] } = content;
  const parameters = { ...withDefaults(content, feature) };
  return { id, name, title, disabled, parameters, constraints, segments, variants };
}

import type { PostgresClient } from '#base/postgres';
import { Denial, notValid } from '../../../../denial.ts';
import { isStrategyPayload } from '../../../feature-strategies/schema.ts';
import {
  type StrategyChange,
  changeStrategies,
  problemsWith,
} from '../../../feature-strategies/store/change.ts';
import type { StrategyPlace } from '../../../feature-strategies/store/rows.ts';

/** A change as it is stored in a change request. */
export type StoredChange = { readonly action: string; readonly payload?: unknown };

/** Throws a Denial if the change concerns a strategy and its payload is not valid. */
export async function checkStrategyChange(
  client: PostgresClient,
  feature: string,
  stored: StoredChange,
): Promise<void> {
  const change = readStrategyChange(stored);
  if (change === undefined || !('content' in change)) return;
  const [problem] = await problemsWith(client, feature, change.content);
  if (problem !== undefined) throw invalid(stored, problem);
}

/**
 * Applies a change of a strategy; does nothing for other changes. Throws a Denial if it cannot be applied any more, so that none of the
 * changes is.
 */
export async function applyStrategyChange(
  client: PostgresClient,
  place: StrategyPlace,
  stored: StoredChange,
): Promise<void> {
  const change = readStrategyChange(stored);
  if (change === undefined) return;
  try {
    await changeStrategies(client, place, change);
  } catch (error) {
    if (!(error instanceof Denial)) throw error;
    const [problem = { path: '', message: 'is not valid' }] = error.details ?? [];
    throw error.kind === 'not found'
      ? notValid(`The feature ${place.feature} does not have the strategy of ${stored.action} any more.`)
      : invalid(stored, problem);
  }
}

/** Undefined for actions that do not concern strategies. An import may have stored any payload, so it is checked here. */
function readStrategyChange({ action, payload }: StoredChange): StrategyChange | undefined {
  if (action === 'addStrategy') {
    if (isStrategyPayload.addStrategy(payload)) return { action, content: payload };
    throw invalid({ action }, firstOf(isStrategyPayload.addStrategy));
  }
  if (action === 'updateStrategy') {
    if (isStrategyPayload.updateStrategy(payload)) return { action, id: payload.id, content: payload };
    throw invalid({ action }, firstOf(isStrategyPayload.updateStrategy));
  }
  if (action === 'deleteStrategy') {
    if (isStrategyPayload.deleteStrategy(payload)) return { action, id: payload.id };
    throw invalid({ action }, firstOf(isStrategyPayload.deleteStrategy));
  }
  if (action === 'reorderStrategy') {
    if (isStrategyPayload.reorderStrategy(payload)) return { action, order: payload };
    throw invalid({ action }, firstOf(isStrategyPayload.reorderStrategy));
  }
  return undefined;
}

type Problem = { readonly path: string; readonly message: string };

type Guard = {
  readonly errors?:
    | readonly { readonly instancePath: string; readonly message?: string | undefined }[]
    | null
    | undefined;
};

export function firstOf({ errors }: Guard): Problem {
  const [error] = errors ?? [];
  return { path: error?.instancePath ?? '', message: error?.message ?? 'is not valid' };
}

export function invalid({ action }: StoredChange, { path, message }: Problem): Denial {
  return notValid(`The payload of ${action} is not valid: ${path} ${message}.`);
}

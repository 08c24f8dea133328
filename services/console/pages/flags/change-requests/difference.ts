import type { FeatureStrategy } from '../../../types.ts';
import { strategyLines } from '../../../state/strategies/strategy-words.ts';

/** What the feature is now. Members are undefined until they are known. */
export type Now = {
  readonly isOn: boolean | undefined;
  readonly isArchived: boolean | undefined;
  readonly strategies: readonly FeatureStrategy[] | undefined;
};

export type Difference = {
  readonly title: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

type Change = { readonly action: string; readonly payload?: unknown };

/** A change in lines, as it is now and as it will be. Other actions are shown as they are. */
export function differenceOf({ action, payload }: Change, now: Now): Difference {
  const given = isStrategy(payload) ? payload : {};
  const strategy = now.strategies?.find(({ id }) => id === given.id);
  const known = strategy === undefined ? [] : strategyLines(strategy);
  switch (action) {
    case 'updateEnabled':
      return {
        title: isEnabled(payload) ? 'Turn on' : 'Turn off',
        before: now.isOn === undefined ? [] : [now.isOn ? 'on' : 'off'],
        after: [isEnabled(payload) ? 'on' : 'off'],
      };
    case 'archiveFeature':
      return {
        title: 'Archive',
        before: now.isArchived === undefined ? [] : [now.isArchived ? 'archived' : 'active'],
        after: ['archived'],
      };
    case 'addStrategy':
      return { title: 'Add a strategy', before: [], after: strategyLines(given) };
    case 'updateStrategy':
      return { title: 'Change a strategy', before: known, after: strategyLines(given) };
    case 'deleteStrategy':
      return { title: 'Remove a strategy', before: known, after: [] };
    default:
      return { title: titleOf(action), before: [], after: [JSON.stringify(payload ?? null)] };
  }
}

const NOTHING: Now = { isOn: undefined, isArchived: undefined, strategies: undefined };

/** A change in lines, without what is now; no lines for a change that does not exist. */
export function linesOf(change: Change | undefined): readonly string[] {
  if (change === undefined) return [];
  const { title, after } = differenceOf(change, NOTHING);
  return [title, ...after];
}

/** The server has checked the payload of a strategy, and that it has an id where one is needed. */
function isStrategy(payload: unknown): payload is Partial<FeatureStrategy> {
  return typeof payload === 'object' && payload !== null;
}

function isEnabled(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'enabled' in payload && payload.enabled === true;
}

/** reorderStrategy: Reorder strategy */
function titleOf(action: string): string {
  const words = action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

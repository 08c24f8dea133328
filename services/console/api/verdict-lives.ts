import { type Resource, useResource } from './requests/resource.ts';
import type { Change, Verdict, VerdictLife } from '../types.ts';

type Lives = { readonly verdicts: readonly VerdictLife[] };

const EVERY_MS = 30_000;

/** The verdicts that hold and are told, and those that somebody has acknowledged; the latest 1,000 of each. */
export function useVerdictLives(): {
  readonly open: Resource<Lives>;
  readonly acknowledged: Resource<Lives>;
} {
  return {
    open: useResource('api/admin/verdicts?state=open&limit=1000', { everyMs: EVERY_MS }),
    acknowledged: useResource('api/admin/verdicts?state=acknowledged&limit=1000', { everyMs: EVERY_MS }),
  };
}

const pathOf = ({ id }: Pick<VerdictLife, 'id'>): string => `api/admin/verdicts/${id}/acknowledgement`;

export function acknowledgeChange(life: VerdictLife, reason: string, until: string | null): Change {
  return { method: 'PUT', path: pathOf(life), body: { reason, until } };
}

export function tellAgainChange(life: VerdictLife): Change {
  return { method: 'DELETE', path: pathOf(life) };
}

type Found = Pick<Verdict, 'verdict' | 'featureName' | 'environment'> & { readonly appName?: string | null };

/** The life of a verdict of a list. */
export function lifeOf(
  lives: readonly VerdictLife[] | undefined,
  { verdict, featureName, appName = null, environment }: Found,
): VerdictLife | undefined {
  const subjectType = featureName === null ? 'application' : 'feature';
  return lives?.find(
    (life) =>
      life.subject === (featureName ?? appName) &&
      life.subjectType === subjectType &&
      life.verdict === verdict &&
      life.environment === environment,
  );
}

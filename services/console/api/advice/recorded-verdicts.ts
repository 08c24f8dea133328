import { type Path, pathTo } from '../../state/paths/path.ts';
import { type Resource, useResource } from '../requests/resource.ts';
import type { Change, RecordedVerdict, Verdict } from '../../types.ts';

type Recorded = { readonly total: number; readonly verdicts: readonly RecordedVerdict[] };

const EVERY_MS = 30_000;

/** Open verdicts and acknowledged ones, the latest 1,000 of each. */
export function useRecordedVerdicts(): {
  readonly open: Resource<Recorded>;
  readonly acknowledged: Resource<Recorded>;
} {
  return {
    open: useResource(pathTo`api/admin/verdicts?state=open&limit=1000`, { everyMs: EVERY_MS }),
    acknowledged: useResource(pathTo`api/admin/verdicts?state=acknowledged&limit=1000`, {
      everyMs: EVERY_MS,
    }),
  };
}

const pathOf = ({ id }: Pick<RecordedVerdict, 'id'>): Path =>
  pathTo`api/admin/verdicts/${id}/acknowledgement`;

export function acknowledgeChange(verdict: RecordedVerdict, reason: string, until: string | null): Change {
  return { method: 'PUT', path: pathOf(verdict), body: { reason, until } };
}

export function removeAcknowledgementChange(verdict: RecordedVerdict): Change {
  return { method: 'DELETE', path: pathOf(verdict) };
}

type Found = Pick<Verdict, 'verdict' | 'featureName' | 'environment'> & { readonly appName?: string | null };

/** The record of a verdict that a list shows. */
export function recordedOf(
  recorded: readonly RecordedVerdict[] | undefined,
  { verdict, featureName, appName = null, environment }: Found,
): RecordedVerdict | undefined {
  const subjectType = featureName === null ? 'application' : 'feature';
  return recorded?.find(
    (one) =>
      one.subject === (featureName ?? appName) &&
      one.subjectType === subjectType &&
      one.verdict === verdict &&
      one.environment === environment,
  );
}

import type { Feature } from '../../../types.ts';
import { kindOf } from '../../../state/verdicts/verdict-kinds.ts';

type Found = {
  readonly verdict: string;
  readonly featureName: string | null;
  readonly environment: string;
  readonly evaluations: number | null;
  readonly sentence: string;
};

/** A feature that can be archived, with its evidence. */
export type Candidate = {
  readonly name: string;
  readonly project: string;
  /** Who owns it. */
  readonly source: Feature['source'];
  readonly createdAt: string;
  /** Null if no event says it. */
  readonly createdBy: string | null;
  /** Why it can go, by environment. */
  readonly reasons: readonly Pick<Found, 'verdict' | 'environment' | 'sentence'>[];
  /** Who evaluated it last, and how often. */
  readonly evidence: readonly string[];
  /** Evaluations that end once no application asks for it any more. */
  readonly evaluationsPerDay: number;
};

/** The days that `archive_evidence` counts. */
const EVIDENCE_DAYS = 30;

/** The features that can go, those with the most evaluations first: their clean-up pays most. */
export function candidatesOf(
  features: readonly Pick<Candidate, 'name' | 'project' | 'source' | 'createdAt' | 'createdBy'>[],
  verdicts: readonly Found[],
): Candidate[] {
  return features
    .map(({ name, project, source, createdAt, createdBy }) => {
      const own = verdicts.filter(({ featureName }) => featureName === name);
      const evidence = own.filter(({ verdict }) => verdict === 'archive_evidence');
      const evaluations = evidence.reduce((sum, item) => sum + (item.evaluations ?? 0), 0);
      return {
        name,
        project,
        source,
        createdAt,
        createdBy,
        reasons: own.filter(({ verdict }) => kindOf(verdict).canGo),
        evidence: evidence.map(({ sentence }) => sentence),
        evaluationsPerDay: Math.round(evaluations / EVIDENCE_DAYS),
      };
    })
    .filter(({ reasons }) => reasons.length > 0)
    .sort(
      (one, other) => other.evaluationsPerDay - one.evaluationsPerDay || (one.name < other.name ? -1 : 1),
    );
}

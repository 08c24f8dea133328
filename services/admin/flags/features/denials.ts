import { HttpProblem, conflict } from '#base/http';
import { notFound } from '../../http/operation.ts';
import { outdated } from '../../http/answers/versions.ts';
import { ownedByUnleash } from './pass-on.ts';
import type { Changed, FeatureDenial } from './store/change.ts';
import type { GuardDenial } from './store/guards.ts';

export const OWNED_BY_PROVIDER =
  'Only another flag system has this feature: change there where it is on, its strategies and its variants.';

/** The answer to a change of a feature that was denied. */
export function denied(denial: FeatureDenial): HttpProblem {
  switch (denial) {
    case 'unknown':
      return notFound('There is no such feature in this project, or no such environment.');
    case 'outdated':
      return outdated('the feature');
    case 'owned by Unleash':
      return ownedByUnleash('this feature');
    case 'owned by its provider':
      return conflict('OwnedByProvider', OWNED_BY_PROVIDER);
    case 'archived':
      return conflict('FeatureArchived', 'The feature is archived: revive it first.');
    case 'needs approval':
      return conflict(
        'ApprovalRequired',
        'This environment requires approvals: open a change request, which can hold this change.',
      );
  }
}

/** The answer to guards that the caller may not set, because they turn the feature off in an environment. */
export function guardDenied({ guardDenied: why, environment }: GuardDenial, project: string): HttpProblem {
  switch (why) {
    case 'unknown environment':
      return new HttpProblem(400, `A guard names the environment ${environment}, which does not exist.`);
    case 'no permission':
      return new HttpProblem(
        403,
        `A guard that turns the feature off in ${environment} needs the permission UPDATE_FEATURE in the environment ${environment} of the project ${project}.`,
      );
    case 'needs approval':
      return conflict(
        'ApprovalRequired',
        `The environment ${environment} requires approvals: only an Admin may set or change a guard that turns the feature off there. A guard without this environment in turnOff reports harm and changes nothing.`,
      );
    case 'owned by its provider':
      return conflict('OwnedByProvider', OWNED_BY_PROVIDER);
  }
}

/** Returns what has changed; throws the answer to a denial. */
export function changed<T>(result: Changed<T> | FeatureDenial): Changed<T> {
  if (typeof result === 'string') throw denied(result);
  return result;
}

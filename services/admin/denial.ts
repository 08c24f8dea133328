import { FlagmeterError } from '#base/runtime';

/** What prevents a change: the names of a 409 (docs/use/admin-api.md#conflicts). */
export const CONFLICTS = [
  'NameExistsError',
  'ApprovalRequired',
  'FeatureArchived',
  'ProjectArchived',
  'ProjectInUse',
  'OwnedByUnleash',
  'OwnedByProvider',
  'RejectedByUnleash',
  'LaterCommit',
  'TokenReplaced',
  'RoleInUse',
] as const;

export type DenialKind =
  | 'not found'
  | 'not valid'
  | 'not permitted'
  | 'not authenticated'
  | 'outdated'
  | (typeof CONFLICTS)[number];

/** Where in the body something is wrong. */
export type DenialDetail = { readonly path: string; readonly message: string };

/**
 * Why flagmeter does not do what it was asked to, in a sentence for the caller. It is thrown where the reason is found, so that a
 * transaction rolls back. `http/perform.ts` answers it, and commands print it.
 */
export class Denial extends FlagmeterError {
  readonly kind: DenialKind;
  readonly details: readonly DenialDetail[] | undefined;

  constructor(kind: DenialKind, message: string, details?: readonly DenialDetail[]) {
    super(kind === 'not found' ? 'not-found' : 'usage', message);
    this.kind = kind;
    this.details = details;
  }
}

export function notFound(message = 'There is no resource with this name.'): Denial {
  return new Denial('not found', message);
}

export function notValid(message: string, details?: readonly DenialDetail[]): Denial {
  return new Denial('not valid', message, details);
}

export function notPermitted(message: string): Denial {
  return new Denial('not permitted', message);
}

/** Of a write whose If-Match names an earlier version. */
export function outdated(what: string): Denial {
  return new Denial(
    'outdated',
    `Somebody has changed ${what} in the meantime: read it again, then repeat the change.`,
  );
}

export function ownedByUnleash(what: string): Denial {
  return new Denial('OwnedByUnleash', `Unleash owns ${what}: change it there.`);
}

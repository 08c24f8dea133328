import type { Context } from 'koa';
import { addressOf } from '#base/http';
import type { Config, Log } from '#base/runtime';
import { createSessionSecret } from '#base/tokens';
import type { Cookies } from '../../http/requests/cookies.ts';
import type { Announce } from '../tokens/operations.ts';
import type { Identified } from './provider.ts';
import { type Person, projectRolesOf, roleOf } from './rules.ts';
import { keepSession } from './cookies/session-cookies.ts';
import type { SignInLog } from './sign-in-log.ts';
import type { Roles, SignIns } from './store.ts';
import { NAME_TAKEN, NO_GROUPS, NO_ROLE, Refused, TOO_OFTEN } from './troubles.ts';

export type FinishOptions = {
  readonly settings: NonNullable<Config['auth']['oidc']> & Config['auth']['sessions'];
  readonly signIns: SignIns;
  readonly cookies: Cookies;
  readonly announce: Announce;
  readonly log: Log;
  readonly signInLog: SignInLog;
};

/** Gives the person a session, if a group gives them a role. The secret is new, so no one else can know it. */
export async function finish(ctx: Context, identified: Identified, options: FinishOptions): Promise<void> {
  const { settings, cookies, signIns, announce, log, signInLog } = options;
  const { person, unread, idToken } = identified;
  const warn = (fields: object, message: string): void => {
    signInLog.ofPerson(person, fields, message);
  };
  if (unread.length > 0) warn({ claims: unread }, 'claims of a person not used');
  const address = addressOf(ctx.ip);
  const roles = rolesOf(person, settings);
  if (roles === undefined) {
    warn({ claim: settings.claims.groupsClaim }, 'sign-in refused: unknown groups');
    throw new Refused(NO_GROUPS, person);
  }
  if (roles.role === undefined) {
    await announce(await signIns.end(person, address));
    warn({ groups: person.groups?.length }, 'sign-in refused: no group has a role');
    throw new Refused(NO_ROLE, person);
  }
  const secret = createSessionSecret();
  const { role, projectRoles } = roles;
  const begun = await signIns.begin({ person, role, projectRoles, secret, idToken, address });
  await announce(begun.changed);
  if ('isNameTaken' in begun) {
    warn({}, 'sign-in refused: another user has the name');
    throw new Refused(NAME_TAKEN, person);
  }
  if ('isTooOften' in begun) {
    warn({}, 'sign-in refused: too many sessions in an hour');
    throw new Refused(TOO_OFTEN, person);
  }
  const { user, sessionId, ignored } = begun;
  if (ignored.length > 0)
    warn({ roles: ignored }, 'OIDC_PROJECT_ROLES names a project, role or environment that does not exist');
  log.info({ userId: user.id, sessionId, role, address }, 'signed in');
  keepSession(ctx, cookies, { secret, seconds: settings.maxMs / 1000 });
}

type Given = Pick<Roles, 'projectRoles'> & { readonly role: Roles['role'] | undefined };

/** What the groups of the person give; undefined if they are unknown. */
function rolesOf({ groups }: Person, settings: FinishOptions['settings']): Given | undefined {
  if (groups === undefined) return undefined;
  const projectRoles = projectRolesOf(groups, settings.projectRoles);
  const role = roleOf(groups, settings.roles) ?? (projectRoles.length > 0 ? 'None' : undefined);
  return { role, projectRoles };
}

import type { Postgres } from '#base/postgres';
import { ANYBODY, type RootRole } from '#base/tokens';

/**
 * Returns a function that gives `unknown` the role that it has while AUTH_TYPE is none, or takes it away. Otherwise whatever somebody has
 * set up or approved without a token would act later with the rights of an Admin. What acts by itself calls it first, because Postgres may
 * be away when the service starts.
 */
export function createRightsOfAnybody(db: Postgres, authType: 'token' | 'oidc' | 'none') {
  const role: RootRole = authType === 'none' ? 'Admin' : 'None';
  let isSet = false;
  return async (): Promise<void> => {
    if (isSet) return;
    await db.query('update users set root_role = $2 where id = $1 and root_role <> $2', [
      ANYBODY.userId,
      role,
    ]);
    isSet = true;
  };
}

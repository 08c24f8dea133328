import { type Config, readConfig } from '#base/runtime';
import type { World } from '../../world.ts';

/** The configuration of services with a role that owns nothing, and of the commands that need the owner too. */
export function configWithServiceRole({ env }: Pick<World, 'env'>): Config {
  const owner = env['DATABASE_URL'] ?? '';
  const url = new URL(owner);
  url.username = 'flagmeter_service';
  return readConfig({ ...env, DATABASE_URL: url.toString(), DATABASE_OWNER_URL: owner });
}

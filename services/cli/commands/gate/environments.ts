import { FlagmeterError } from '#base/runtime';
import { type AdminApi, call } from '../../admin-api.ts';

/**
 * Throws an error of wrong usage for an environment in which nothing has been counted for 30 days and that nobody has created: there are
 * no verdicts on a mistyped one, so the gate would stand open.
 */
export async function requireEnvironment(api: AdminApi, environment: string): Promise<void> {
  const { environments } = (await call(api, { path: '/api/admin/environments' })) as {
    environments: { name: string }[];
  }; // our own API
  if (environments.some(({ name }) => name === environment)) return;
  const query = new URLSearchParams({ environment, limit: '1' });
  const path = `/api/admin/search/evaluated-features?${query.toString()}`;
  const { items } = (await call(api, { path })) as { items: unknown[] }; // our own API
  if (items.length > 0) return;
  const names = environments.map(({ name }) => name).join(', ');
  throw new FlagmeterError('usage', `there is no environment ${environment}: the environments are ${names}`);
}

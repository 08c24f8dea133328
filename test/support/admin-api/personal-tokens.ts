import { IN_A_MONTH } from '../times.ts';
import type { Api } from './admin.ts';

/** Revokes all personal tokens of a user, who stays. */
export async function revokePersonalTokens(api: Api, { id }: { readonly id: number }): Promise<void> {
  const path = `/api/admin/user-admin/${id}/tokens`;
  const { pats } = (await api.get(path)).body as { pats: readonly { readonly id: string }[] };
  if (pats.length === 0) throw new Error(`the user ${id} has no token`);
  for (const token of pats) await api.delete(`${path}/${token.id}`);
}

/** Ends the token with which somebody works. Returns the secret of another one of theirs. */
export async function replaceOwnToken(api: Api, token: string): Promise<string> {
  const path = '/api/admin/user/tokens';
  const before = (await api.get(path, { token })).body as { pats: readonly { readonly id: string }[] };
  const other = await api.post(path, { description: 'second', expiresAt: IN_A_MONTH }, { token });
  for (const { id } of before.pats) await api.delete(`${path}/${id}`, { token });
  return (other.body as { secret: string }).secret;
}

import type { Api } from './admin.ts';

/** Revokes all personal tokens of a user, who stays. */
export async function revokePersonalTokens(api: Api, { id }: { readonly id: number }): Promise<void> {
  const path = `/api/admin/user-admin/${id}/tokens`;
  const { pats } = (await api.get(path)).body as { pats: readonly { readonly id: string }[] };
  if (pats.length === 0) throw new Error(`the user ${id} has no token`);
  for (const token of pats) await api.delete(`${path}/${token.id}`);
}

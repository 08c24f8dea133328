/** They made the changes of the sample. No real user should have such a name. */
export const PEOPLE = ['aiko (sample)', 'jonas (sample)', 'mira (sample)', 'tomasz (sample)'] as const;

export type Person = (typeof PEOPLE)[number];

/** The people as deleted users: no one can create a token for them, and Users does not list them. */
export function usersOf(madeAt: number, uidOf: (name: string) => string): object[] {
  const time = new Date(madeAt).toISOString();
  return PEOPLE.map((username) => ({
    uid: uidOf(username),
    username,
    root_role: 'Editor',
    created_at: time,
    deleted_at: time,
  }));
}

/** What somebody searches, from the query of the URL: in any case, and without the blanks around it, which nobody sees. */
export function searchIn(query: Readonly<Record<string, string>>): string {
  return (query['q'] ?? '').trim().toLowerCase();
}

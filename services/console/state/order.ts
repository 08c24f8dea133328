/** The order of a list, in the URL as `sort=name` or `sort=-name`. */
export type Order = { readonly by: string; readonly direction: 'up' | 'down' };

export function parseOrder(text: string | undefined): Order | undefined {
  if (text === undefined || text === '') return undefined;
  return text.startsWith('-') ? { by: text.slice(1), direction: 'down' } : { by: text, direction: 'up' };
}

/** Up, then down, then as it came. */
export function nextOrder(order: Order | undefined, by: string): string {
  if (order?.by !== by) return by;
  return order.direction === 'up' ? `-${by}` : '';
}

/** A sorted copy. Equal items keep their order. */
export function sortBy<T>(
  items: readonly T[],
  order: Order | undefined,
  valueOf: (item: T, by: string) => string | number,
): T[] {
  if (order === undefined) return [...items];
  const sign = order.direction === 'up' ? 1 : -1;
  const compare = new Intl.Collator('en').compare;
  return [...items].sort((one, other) => {
    const [a, b] = [valueOf(one, order.by), valueOf(other, order.by)];
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b)));
  });
}

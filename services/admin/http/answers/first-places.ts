/** The place of a row among those of its kind, from 1. */
export type Placed = { readonly place: string };

/** The first rows of each kind, then the second ones, and so on: a limited list in which many of one kind do not displace the others. */
export function firstPlaces<Row extends Placed>(rows: readonly Row[], limit: number): ReadonlySet<Row> {
  return new Set(rows.toSorted((one, other) => Number(one.place) - Number(other.place)).slice(0, limit));
}

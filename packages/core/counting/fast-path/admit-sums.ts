import type { BatchNames } from '../names/batch-names.ts';
import { hashOfGroup, hashOfPair } from '../names/name-hash.ts';
import type { FastSums } from './fast-sums.ts';

/** Admits the names of all these sums, or none of them. Returns whether the token may send them. */
export function admitSums(sums: FastSums, names: BatchNames): boolean {
  const savepoint = names.savepoint();
  if (admitAll(sums, names)) return true;
  names.rollBack(savepoint);
  return false;
}

function admitAll(sums: FastSums, names: BatchNames): boolean {
  for (let row = 0; row < sums.rowCount; row += 1) {
    const rowHash = hashOfRow(sums, row);
    // If the row is known, so are its names.
    if (!names.knows('row', rowHash) && !admitRow(sums, row, { names, rowHash })) return false;
    for (let at = sums.firstVariantOf(row); at >= 0; at = sums.nextVariant(at)) {
      const variant = sums.names.hashOf(sums.nameOfVariant(at));
      const hash = hashOfPair(rowHash, variant);
      if (names.knows('row', hash)) continue;
      if (!names.admit('variant', variant) || !names.admit('row', hash)) return false;
    }
  }
  return true;
}

function admitRow(
  sums: FastSums,
  row: number,
  { names, rowHash }: { readonly names: BatchNames; readonly rowHash: number },
): boolean {
  const group = sums.groupOf(row);
  return (
    names.admit('app', sums.names.hashOf(sums.appOf(group))) &&
    names.admit('environment', sums.names.hashOf(sums.environmentOf(group))) &&
    names.admit('feature', sums.names.hashOf(sums.featureOf(row))) &&
    names.admit('row', rowHash)
  );
}

function hashOfRow(sums: FastSums, row: number): number {
  const group = sums.groupOf(row);
  const app = sums.names.hashOf(sums.appOf(group));
  const environment = sums.names.hashOf(sums.environmentOf(group));
  return hashOfPair(
    hashOfGroup(app, environment, sums.hourOf(group)),
    sums.names.hashOf(sums.featureOf(row)),
  );
}

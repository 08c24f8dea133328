import type { ByteWriter } from '../encoding/byte-writer.ts';

/**
 * Sums of a batch that can be written into a message. Ids of names, groups, rows and variants start at 0; a negative id ends a
 * list.
 */
export type ReadableSums = {
  /** Writes the names in the order of their ids, as a JSON array. */
  writeNames(writer: ByteWriter): void;
  readonly groupCount: number;
  /** Ids of names. */
  appOf(group: number): number;
  environmentOf(group: number): number;
  /** Hours since the epoch. */
  hourOf(group: number): number;
  readonly rowCount: number;
  /** Id of a name. */
  featureOf(row: number): number;
  groupOf(row: number): number;
  reportsOf(row: number): number;
  yesOf(row: number): number;
  noOf(row: number): number;
  /** Evaluations whose result is unknown, by row. Rows without any are absent. */
  readonly unknown: ReadonlyMap<number, number>;
  firstVariantOf(row: number): number;
  nextVariant(variant: number): number;
  /** Id of a name. */
  nameOfVariant(variant: number): number;
  countOfVariant(variant: number): number;
};

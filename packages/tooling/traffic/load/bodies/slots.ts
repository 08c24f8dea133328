import { hasVariants } from './keys.ts';
import { firstState, nextState } from './xorshift.ts';

/** The numbers that a body adds to the counts. */
export type Sums = {
  readonly rows: number;
  readonly yes: number;
  readonly no: number;
  readonly variants: number;
};

/** Builds text and records the positions of its slots. The text is ASCII, so its positions are those of the bytes. */
export class SlotWriter {
  text = '';

  slot(placeholder: string): number {
    const at = this.text.length;
    this.text += placeholder;
    return at;
  }
}

/** The positions of the counts of a feature. */
export type CountSlots = { readonly yes: number; readonly no: number; readonly variants: readonly number[] };

/** Writes the members with the counts of a feature. */
export function writeCounts(writer: SlotWriter, feature: number): CountSlots {
  writer.text += '"yes":';
  const yes = writer.slot('0000');
  writer.text += ',"no":';
  const no = writer.slot('000');
  writer.text += ',"variants":{';
  const variantNames = hasVariants(feature) ? ['blue', 'red'] : [];
  const variants = variantNames.map((name, index) => {
    writer.text += `${index === 0 ? '' : ','}"${name}":`;
    return writer.slot('000');
  });
  writer.text += '}';
  return { yes, no, variants };
}

export function movedBy(shift: number, { yes, no, variants }: CountSlots): CountSlots {
  return { yes: yes + shift, no: no + shift, variants: variants.map((at) => at + shift) };
}

/** Fills in the counts of request number `sequence`; returns their sums. */
export function fillCounts(
  bytes: Buffer,
  rows: readonly CountSlots[],
  { sequence, seed }: { readonly sequence: number; readonly seed: number },
): Sums {
  let state = firstState(sequence, seed);
  let [allYes, allNo, allVariants] = [0, 0, 0];
  for (const { yes, no, variants } of rows) {
    state = nextState(state);
    allYes += writeFour(bytes, yes, 1000 + ((state >>> 0) % 9000));
    allNo += writeThree(bytes, no, 100 + ((state >>> 16) % 900));
    for (const at of variants) allVariants += writeThree(bytes, at, 100 + ((state >>> (at & 7)) % 400));
  }
  return { rows: rows.length, yes: allYes, no: allNo, variants: allVariants };
}

export const SEQUENCE_DIGITS = 9;

/** Writes the number of a request as the fraction of a second. */
export function writeSequence(bytes: Buffer, at: number, sequence: number): void {
  let rest = sequence % 10 ** SEQUENCE_DIGITS;
  for (let place = at + SEQUENCE_DIGITS - 1; place >= at; place -= 1) {
    bytes[place] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

function writeThree(bytes: Buffer, at: number, value: number): number {
  bytes[at] = 48 + Math.floor(value / 100);
  bytes[at + 1] = 48 + (Math.floor(value / 10) % 10);
  bytes[at + 2] = 48 + (value % 10);
  return value;
}

function writeFour(bytes: Buffer, at: number, value: number): number {
  bytes[at] = 48 + Math.floor(value / 1000);
  writeThree(bytes, at + 1, value % 1000);
  return value;
}

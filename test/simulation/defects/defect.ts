import { readFileSync } from 'node:fs';

/** A change of the production code that brings a known defect back, or breaks a rule of the protocol. */
export type Defect = {
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
};

/** The text of its file with the defect. Throws if the text that it replaces is not there exactly once. */
export function textWith({ name, file, from, to }: Defect): string {
  const text = readFileSync(file, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${name}: the text is not exactly once in ${file}`);
  return text.replace(from, () => to);
}

import { DEFECTS } from './defects/defects.ts';
import { readSeeds, writeSeeds } from './defects/seeds.ts';
import { findDefect } from './runner/find-defects.ts';

/** Prints which seed finds each defect, and writes the seeds: `find-all-defects.ts [PART OF THE NAME]`. */
const [part = ''] = process.argv.slice(2);
const waiting = DEFECTS.filter(({ name }) => name.includes(part)).values();
const found = new Map(readSeeds());
const findNext = async (): Promise<void> => {
  for (const defect of waiting) {
    const failure = await findDefect(defect);
    if (failure !== undefined) found.set(defect.name, failure.seed);
    const seed = failure === undefined ? 'none' : `${failure.seed}`;
    process.stdout.write(`| ${defect.name} | ${seed} | ${failure?.violations[0] ?? ''} |\n`);
  }
};
await Promise.all([findNext(), findNext()]);
writeSeeds([...found].filter(([named]) => DEFECTS.some(({ name }) => name === named)));

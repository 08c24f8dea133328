import { DEFECTS } from './defects/defects.ts';
import { findDefect } from './runner/find-defects.ts';

/** Prints how many seeds find each defect: `main.ts [PART OF THE NAME] [SEEDS]`. */
const [part = '', maxSeeds = '1000'] = process.argv.slice(2);
const waiting = DEFECTS.filter(({ name }) => name.includes(part)).values();
const findNext = async (): Promise<void> => {
  for (const defect of waiting) {
    const failure = await findDefect(defect, Number(maxSeeds));
    const found = failure === undefined ? `not in ${maxSeeds}` : `${failure.seed}`;
    process.stdout.write(`| ${defect.name} | ${found} | ${failure?.violations[0] ?? ''} |\n`);
  }
};
await Promise.all([findNext(), findNext()]);

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { FROM_SOURCES } from '../../../../../tools/run/from-sources.ts';

const MODULE = JSON.stringify(path.resolve('packages/base/runtime/process/marking.ts'));

/** Keeps 50 MB, and makes objects that live long enough to leave the young generation. */
const WORK = `
  (await import(${MODULE})).markRarely();
  const kept = Array.from({ length: 500_000 }, (_, index) => ({ index, name: 'kept-' + index }));
  const recent = new Array(150_000);
  for (let index = 0; index < 5_000_000; index += 1) recent[index % recent.length] = { index, name: 'recent-' + index };
  console.log(kept.length + recent.length);`;

describe('a process that marks rarely', () => {
  it('marks its heap, in one step, when it has more than four times what survived', () => {
    const marked = readMarks(WORK);
    const ratios = marked.slice(1).map(({ before }, index) => before / (marked[index]?.after ?? 0));
    expect(ratios).to.have.length.above(0);
    // V8's own limit is at most four times as much, and 16 MB.
    for (const ratio of ratios) expect(ratio).to.be.greaterThan(4.5);
    expect(marked.some(({ line }) => line.includes('incremental'))).to.equal(false);
  });
});

/** Megabytes of the heap before and after each time that V8 marked the whole of it. */
function readMarks(
  program: string,
): { readonly line: string; readonly before: number; readonly after: number }[] {
  const options = [
    '--trace-gc',
    '--max-semi-space-size=1',
    ...FROM_SOURCES,
    '--input-type=module',
    '--eval',
    program,
  ];
  const output = execFileSync(process.execPath, options, { encoding: 'utf8' });
  return [...output.matchAll(/^.*Mark-Compact ([\d.]+) \([\d.]+\) -> ([\d.]+) .*$/gm)].map(
    ([line, before, after]) => ({ line, before: Number(before), after: Number(after) }),
  );
}

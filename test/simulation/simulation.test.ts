import { expect } from 'chai';
import { DEFECTS } from './defects/defects.ts';
import { findDefectAgain } from './defects/find.ts';
import type { Failure } from './runner/protocol.ts';
import { runSeeds } from './runner/run-seeds.ts';

const SEEDS = 1000;
const STEPS = 2000;
/** Within so many seeds each defect must be found, or by the one that it names. */
const MAX_SEEDS = 1000;

describe('the simulated installation', () => {
  it(`keeps every promise in ${SEEDS} worlds, and every tenth of them repeats itself exactly`, async () => {
    const slice = { first: 1, end: SEEDS + 1, steps: STEPS, repeatEvery: 10, stopsAtFirst: false };
    const { runs, failures } = await runSeeds(slice);

    expect(failures).to.deep.equal([]);
    expect(runs).to.equal(SEEDS);
  });

  it('makes another world of each seed', async () => {
    const hashes = new Set<number>();
    const slice = { first: 1, end: 21, steps: 200, repeatEvery: 0, stopsAtFirst: false };
    await runSeeds({ ...slice, onRun: ({ hash }) => hashes.add(hash) });

    expect(hashes.size).to.equal(20);
  });
});

describe('the simulation finds a defect if', () => {
  const found = new Map<string, Failure | undefined>();

  before('run worlds with each defect', async () => {
    const waiting = DEFECTS.values();
    const findNext = async (): Promise<void> => {
      for (const defect of waiting) found.set(defect.name, await findDefectAgain(defect, MAX_SEEDS));
    };
    await Promise.all([findNext(), findNext()]);
  });

  for (const { name } of DEFECTS)
    it(name, () => {
      expect(found.get(name)?.violations[0]).to.be.a('string');
    });
});

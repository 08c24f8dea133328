import { expect } from 'chai';
import { chooseSeed } from '../support/builders/random.ts';
import { isNight, someByDay } from '../support/nightly.ts';
import type { Defect } from './defects/defect.ts';
import { DEFECTS } from './defects/defects.ts';
import { findDefect } from './runner/find-defects.ts';
import type { Failure } from './runner/protocol.ts';
import { runSeeds } from './runner/run-seeds.ts';

const WORLDS = isNight() ? 1000 : 250;
/** By day other worlds in each run. */
const FIRST = isNight() ? 1 : 1 + WORLDS * (chooseSeed() % 1_000_000);
const STEPS = 2000;
/** It runs at a low priority (tools/run/suite/test.ts), so that only its CPU is limited (runner/run-seeds.ts). */
const NO_TIMEOUT = 0;
/** Each takes up to 0.3 GB, beside the tests with engines. */
const PROCESSES = 2;

/** Of a world that never ends. */
const ENDLESS = {
  name: 'a world without an end',
  file: 'test/simulation/run.ts',
  from: 'world.start();',
  to: 'for (;;);',
};

describe('the simulated installation', function () {
  this.timeout(NO_TIMEOUT);

  it(`keeps every promise in ${WORLDS} worlds from seed ${FIRST} on, and every tenth repeats itself exactly`, async () => {
    const slice = { first: FIRST, end: FIRST + WORLDS, steps: STEPS, repeatEvery: 10, stopsAtFirst: false };
    const { runs, failures } = await runSeeds({ ...slice, processes: PROCESSES });

    expect(failures).to.deep.equal([]);
    expect(runs).to.equal(WORLDS);
  });

  it('makes another world of each seed', async () => {
    const hashes = new Set<number>();
    const slice = { first: 1, end: 21, steps: 200, repeatEvery: 0, stopsAtFirst: false };
    await runSeeds({ ...slice, processes: PROCESSES, onRun: ({ hash }) => hashes.add(hash) });

    expect(hashes.size).to.equal(20);
  });

  it('fails if a world has no end, by its CPU and not by its duration', async () => {
    const slice = { first: 1, end: 2, steps: 1, repeatEvery: 0, stopsAtFirst: true };
    const [outcome] = await Promise.allSettled([runSeeds({ ...slice, defect: ENDLESS, maxCpuSeconds: 1 })]);

    expect(outcome).to.have.nested.property('reason.message', 'a simulation took more than 1 s of CPU');
  });
});

describe('the simulation finds a defect if', function () {
  this.timeout(NO_TIMEOUT);
  // To bring one back takes a bundle, a process and a world.
  const defects = someByDay(DEFECTS, 1 / 8, placeOf);
  const found = new Map<string, Failure | undefined>();

  before('run worlds with each defect', async () => {
    const waiting = defects.values();
    const findNext = async (): Promise<void> => {
      for (const defect of waiting) found.set(defect.name, await findDefect(defect));
    };
    await Promise.all(Array.from({ length: PROCESSES }, findNext));
  });

  for (const { name } of defects)
    it(name, () => {
      expect(found.get(name)?.violations[0]).to.be.a('string');
    });
});

/** A part of a service or of a package. */
function placeOf({ file }: Defect): string {
  return file.split('/').slice(0, 3).join('/');
}

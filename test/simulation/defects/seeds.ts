import { readFileSync, writeFileSync } from 'node:fs';

/**
 * A seed that found each defect, by its name. `make test` tries it first, because the search from 1 takes dozens of worlds. Any change of
 * what is simulated makes other worlds: then `make simulate-defects` writes the file again.
 */
const FILE = 'test/simulation/defects/seeds.json';

export function readSeeds(): ReadonlyMap<string, number> {
  return new Map(Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>)); // Written by `writeSeeds`.
}

export function writeSeeds(seeds: readonly (readonly [defect: string, seed: number])[]): void {
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(seeds), undefined, 2)}\n`);
}

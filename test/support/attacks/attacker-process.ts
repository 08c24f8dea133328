import { type Target, attackWithAll } from './all-attacks.ts';

/** Attacks the target in its argument until SIGTERM, and prints the tallies. */
const over = new AbortController();
process.once('SIGTERM', () => {
  over.abort();
});
const target = JSON.parse(process.argv[2] ?? '{}') as Target; // as `startAttacker` wrote it
process.stdout.write(JSON.stringify(await attackWithAll(target, over.signal)));

import { patchCommits, patchInserts, say } from './patches.ts';

/**
 * Ends the worker with SIGKILL at a named point of its KILL_BLOCK-th block:
 *   after-before   the intent is committed, the INSERT is not sent
 *   during-insert  the INSERT was sent KILL_DELAY_MS ago
 *   after-insert   the block is stored, its end is not committed
 *   after-after    the end of the block is committed
 */
const point = process.env['KILL_POINT'] ?? '';
const delayMs = Number(process.env['KILL_DELAY_MS'] ?? 0);
let blocksLeft = Number(process.env['KILL_BLOCK'] ?? 1);

patchCommits(async (committed, commit) => {
  await commit(committed);
  const isIntent = committed.topics.some(({ partitions }) =>
    partitions.some(({ metadata }) => metadata !== ''),
  );
  if (isIntent) {
    blocksLeft -= 1;
    dieAt('after-before');
  } else dieAt('after-after');
});

patchInserts(async (parameters, exec) => {
  if (point === 'during-insert' && blocksLeft <= 0) setTimeout(die, delayMs);
  const result = await exec(parameters);
  dieAt('after-insert');
  return result;
});

function dieAt(here: string): void {
  if (here === point && blocksLeft <= 0) die();
}

function die(): void {
  say(`killed ${point}`);
  process.kill(process.pid, 'SIGKILL');
}

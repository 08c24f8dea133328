import { setTimeout as sleep } from 'node:timers/promises';

const DEADLINE_MS = 180_000;

/** Waits until `read` finds no problem. Throws with the last ones after the deadline. */
export async function untilNone(read: () => Promise<readonly string[]>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const problems = await read();
    if (problems.length === 0) return;
    if (Date.now() > deadline) throw new Error(problems.join('\n'));
    await sleep(200);
  }
}

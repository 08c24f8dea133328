import { inBackground } from '#base/runtime';

/** Counts the turns of the event loop until a promise is settled. */
export async function turnsUntil(settled: Promise<unknown>): Promise<number> {
  const counted = { turns: 0, isOver: false };
  const end = (): void => {
    counted.isOver = true;
  };
  inBackground(settled.then(end));
  while (!counted.isOver) {
    await new Promise(setImmediate);
    counted.turns += 1;
  }
  return counted.turns;
}

import { collectGarbage } from '../measures/collect-garbage.ts';

/**
 * Collects garbage at each SIGUSR2, and tells the parent process the bytes that are held afterwards. An idle process may wait for
 * minutes before it collects by itself.
 */
process.on('SIGUSR2', () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ heldBytes: heapUsed + external });
});

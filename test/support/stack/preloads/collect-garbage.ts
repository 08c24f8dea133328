import { collectGarbage } from '../measures/collect-garbage.ts';

/**
 * On SIGUSR2, collects garbage and sends the parent process the number of bytes still in use. Left alone, an idle process may take
 * minutes to collect.
 */
process.on('SIGUSR2', () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ heldBytes: heapUsed + external });
});

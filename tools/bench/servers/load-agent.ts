import { type LoadOptions, runLoad } from '#tooling/traffic';
import { inBackground } from '#base/runtime';

/**
 * Runs the loads that its parent requests, one after the other. One process for all of them is warm when it is
 * measured.
 */
process.on('message', (options: LoadOptions) => {
  inBackground(answer(options));
});
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
process.send?.({ state: 'ready', url: '' });

async function answer(options: LoadOptions): Promise<void> {
  try {
    process.send?.({ result: await runLoad(options) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
}

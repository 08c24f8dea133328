import { withDeadline } from '#base/runtime';
import type { BatchConsumer } from './consumer.ts';

/** Gives undefined when the process is to stop before the consumer could begin. */
export type StartConsumer = () => Promise<BatchConsumer | undefined>;

export type Consumers = { areJoined(): boolean; stop(): Promise<void> };

/** Engines that are unreachable, or frozen, may hold a start back for longer than a stop may take. */
const START_ENDS_WITHIN_MS = 8000;

/** Starts consumers side by side; one whose engine is unreachable holds no other back. */
export function runConsumers(starts: readonly StartConsumer[], fail: (error: unknown) => void): Consumers {
  const started: BatchConsumer[] = [];
  const starting = starts.map(async (start) => {
    try {
      const consumer = await start();
      if (consumer !== undefined) started.push(consumer);
    } catch (error) {
      fail(error);
    }
  });
  return {
    areJoined: () => started.length === starts.length && started.every((consumer) => consumer.isJoined()),
    async stop() {
      const ends = withDeadline(Promise.all(starting), START_ENDS_WITHIN_MS, 'start not ended in time');
      await ends.catch(() => undefined); // the process ends, and the start with it
      await Promise.all(started.map((consumer) => consumer.stop()));
    },
  };
}

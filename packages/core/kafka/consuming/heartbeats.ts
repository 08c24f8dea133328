import { inBackground } from '#base/runtime';
import type { Group } from './group.ts';
import { LostPartition } from './membership.ts';

const HEARTBEAT_MS = 1000;

/**
 * Waits for work while showing the group that we live. Settles only after the work has: kafkajs starts a new
 * generation as soon as the handler returns, and the old work must not run into it.
 */
export async function withHeartbeats<T>(group: Group, work: Promise<T>): Promise<T> {
  let lost: unknown;
  const timer = setInterval(() => {
    inBackground(group.heartbeat(), (error) => {
      lost = error;
    });
  }, HEARTBEAT_MS);
  try {
    const result = await work;
    if (lost instanceof LostPartition) throw lost;
    return result;
  } finally {
    clearInterval(timer);
  }
}

import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * For the leader of a session, at once, because the threads that it starts inherit it. Only root may lower it. Linux can divide
 * the CPU among sessions first (sched_autogroup_enabled); the niceness then only acts within one, so the session gets it too.
 */
export function setNiceness(pid: number, nice: number): void {
  setPriority(pid, nice);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // Another system, or a kernel without such groups.
  }
}

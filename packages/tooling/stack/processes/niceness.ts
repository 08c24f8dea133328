import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * For the leader of a session, at once, because the threads that it starts inherit it. It is at least our own niceness, because
 * only root may lower it. Linux can divide the CPU among sessions first (sched_autogroup_enabled); the niceness then only acts
 * within one, so the session gets it too.
 */
export function setNiceness(pid: number, nice: number): void {
  const niceness = Math.max(nice, getPriority());
  setPriority(pid, niceness);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // Another system, or a kernel without such groups.
  }
}

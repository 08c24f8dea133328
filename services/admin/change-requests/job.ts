import { type Job, type Log, startJob } from '#runtime';
import type { Attempt, Turn } from './store/schedule.ts';

/**
 * Checks once a second for scheduled change requests that are due. Requests that became due while no process ran are applied at
 * the next start. A postponed request is tried again in the next round, after all others.
 */
export function startScheduleJob(applyNext: (turn: Turn) => Promise<Attempt | undefined>, log: Log): Job {
  let postponedBefore: readonly number[] = [];
  return startJob({ name: 'scheduled change requests', pauseMs: 1000, log }, async (signal) => {
    const postponed: number[] = [];
    while (!signal.aborted) {
      const attempt = await applyNext({ except: postponed, last: postponedBefore });
      if (attempt === undefined) break;
      const { id, outcome } = attempt;
      if (outcome === 'failed')
        log.error({ err: attempt.error, changeRequest: id }, 'scheduled change request failed');
      if (outcome !== 'postponed') continue;
      // Logged once, because every further round would log the same.
      if (!postponedBefore.includes(id))
        log.warn({ err: attempt.error, changeRequest: id }, 'scheduled change request postponed');
      postponed.push(id);
    }
    postponedBefore = postponed;
  });
}

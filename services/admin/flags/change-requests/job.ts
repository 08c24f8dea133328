import { type Job, type JobOptions, startJobOfMany } from '#base/runtime';
import type { Attempt, DueSelection } from './store/schedule.ts';

/**
 * Checks once a second for scheduled change requests that are due. Requests that became due while no process ran are applied at
 * the next start. A postponed request is tried again in the next round, after all others.
 */
export function startScheduleJob(
  applyNext: (selection: DueSelection) => Promise<Attempt | undefined>,
  { log, startAfterMs }: Pick<JobOptions, 'log' | 'startAfterMs'>,
): Job {
  const options = { name: 'scheduled change requests', pauseMs: 1000, startAfterMs, log };
  return startJobOfMany<number>(options, async ({ failed, failedBefore, isNewFailure }, signal) => {
    while (!signal.aborted) {
      const attempt = await applyNext({ except: failed, last: failedBefore });
      if (attempt === undefined) break;
      const { id, outcome } = attempt;
      if (outcome === 'failed')
        log.error({ err: attempt.error, changeRequest: id }, 'scheduled change request failed');
      if (outcome === 'postponed' && isNewFailure(id))
        log.warn({ err: attempt.error, changeRequest: id }, 'scheduled change request postponed');
    }
  });
}

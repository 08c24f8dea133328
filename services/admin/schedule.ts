import { type Job, type Log, startJob } from '#runtime';
import { type Postgres, applyNextScheduled } from '#stores';

/** Looks once a second for change requests whose time has come. What is due while no process runs is applied at the next start. */
export function startScheduleJob(db: Postgres, log: Log): Job {
  return startJob({ name: 'scheduled change requests', pauseMs: 1000, log }, async (signal) => {
    while (!signal.aborted && (await applyNextScheduled(db)));
  });
}

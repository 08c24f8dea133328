import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#runtime';
import { type Postgres, applyNextScheduled } from '#stores';

const PAUSE_MS = 1000;

export type ScheduleJob = { stop(): Promise<void> };

/** Looks once a second for change requests whose time has come. What is due while no process runs is applied at the next start. */
export function startScheduleJob(db: Postgres, log: Log): ScheduleJob {
  const stopping = new AbortController();
  const finished = run(db, log, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await finished;
    },
  };
}

async function run(db: Postgres, log: Log, signal: AbortSignal): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    try {
      const hasApplied = await applyNextScheduled(db);
      isFailing = false;
      if (hasApplied) continue;
    } catch (err) {
      // Told once: while Postgres is away every second would say the same.
      if (!isFailing) log.warn({ err }, 'scheduled change requests not looked for');
      isFailing = true;
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined); // stopped while it waits
  }
}

import { type AccountingReader, type OtherProgress, openAccounting } from '#core/accounting';
import { HISTORY_TOPIC } from '#core/counting';
import { openPostgres } from '#base/postgres';
import type { Config, Log } from '#base/runtime';
import { createHistoryImports } from './imports.ts';

/** The accounting of what came from Kafka and from imports of Unleash's history. */
export function openWholeAccounting(config: Config, log: Log, deadlineMs?: number): AccountingReader {
  return openAccounting(config, log, { deadlineMs, others: openHistoryProgress(config, log) });
}

/** How far each import is stored. */
function openHistoryProgress({ postgres }: Config, log: Log): OtherProgress {
  const db = openPostgres({ ...postgres, maxConnections: 1, log });
  return {
    topic: HISTORY_TOPIC,
    engine: 'Postgres',
    async read() {
      return (await createHistoryImports(db).list()).map(({ number, storedTo, intent }) => ({
        topic: HISTORY_TOPIC,
        epoch: 1,
        partition: number,
        storedTo,
        intendedTo: intent?.to,
      }));
    },
    close: () => db.end(),
  };
}

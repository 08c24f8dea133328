import { type Postgres, READ_ONLY, isMissingTable, isReadOnly, openPostgres } from '#base/postgres';
import { migrationNames } from '../../setup/tables.ts';
import { auditCheck } from '../checks/audit.ts';
import { certificateCheck } from '../checks/servers/certificate.ts';
import { clockCheck } from '../checks/servers/clock.ts';
import { judgeMigrations } from '../checks/servers/migrations.ts';
import { machinesCheck } from '../checks/machines.ts';
import { notificationsCheck } from '../checks/notifications.ts';
import { poolerCheck } from '../checks/servers/pooler.ts';
import { judgeTimeZone } from '../checks/servers/time-zone.ts';
import { tokenChecks } from '../checks/tokens.ts';
import { judgeVersion } from '../checks/servers/version.ts';
import type { Installation } from '../installation.ts';
import { type Examination, type Judgement, fail, ok } from '../finding.ts';

export function postgresExamination({ config: { auth, postgres }, log, now }: Installation): Examination {
  const db = openPostgres({ ...postgres, maxConnections: 1, log });
  return {
    engine: 'Postgres',
    checks: [
      { name: 'Postgres', run: async () => judgeVersion('Postgres', await readText(db, VERSION)) },
      { name: 'Postgres changes', run: async () => judgeChanges(await isReadOnly(db)) },
      poolerCheck(postgres, () => readText(db, STATEMENT_TIMEOUT)),
      clockCheck('Postgres', async () => Number(await readText(db, TIME)), now),
      { name: 'Postgres time zone', run: () => examineTimeZone(db) },
      { name: 'Postgres migrations', run: () => examineMigrations(db) },
      auditCheck(db),
      ...tokenChecks(db, auth.maxTokenDays, now),
      notificationsCheck(db),
      machinesCheck(db),
      ...(postgres.tls === undefined
        ? []
        : [certificateCheck('Postgres', { endpoints: [endpointOf(postgres.url)], tls: postgres.tls }, now)]),
    ],
    close: () => db.end(),
  };
}

const VERSION = `select current_setting('server_version') as text`;
const STATEMENT_TIMEOUT = `select current_setting('statement_timeout') as text`;
const TIME = `select (extract(epoch from clock_timestamp()) * 1000)::text as text`;

async function readText(db: Postgres, query: string): Promise<string> {
  const { rows } = await db.query<{ text: string }>(query);
  return rows[0]?.text ?? '';
}

function judgeChanges(isRefused: boolean): Judgement {
  if (!isRefused) return ok('Postgres takes changes.');
  return fail(READ_ONLY, 'Set DATABASE_URL to the primary, or end the read-only setting.');
}

async function examineTimeZone(db: Postgres): Promise<Judgement> {
  // node-pg-migrate records its runs without a time zone, for itself only.
  const { rows } = await db.query<{ name: string }>(
    `select table_name || '.' || column_name as name
     from information_schema.columns
     where table_schema = current_schema()
       and data_type = 'timestamp without time zone'
       and table_name <> 'migrations'
     order by name`,
  );
  const zone = await readText(db, `select current_setting('TimeZone') as text`);
  return judgeTimeZone(
    zone,
    rows.map(({ name }) => name),
  );
}

async function examineMigrations(db: Postgres): Promise<Judgement> {
  const applied = await db.query<{ name: string }>('select name from migrations').catch((error: unknown) => {
    if (isMissingTable(error)) return { rows: [] };
    throw error;
  });
  return judgeMigrations(
    await migrationNames('postgres'),
    applied.rows.map(({ name }) => name),
  );
}

/** Postgres begins TLS within a plain connection: the client sends the code 80877103, and the server agrees with S. */
const OPENING = { request: Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]), agreement: 'S' };

function endpointOf(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432), opening: OPENING };
}

import { randomBytes } from 'node:crypto';
import type { Postgres } from '#base/postgres';

/** Who hears of revocations: the processes of one `flagmeter start`, or all that use the same Redis. */
type Hearing = 'with Redis' | 'without Redis';

/**
 * Postgres keeps 63 bytes of a name. The last characters of the first label tell a host from others, if something does; the other
 * labels are of its network.
 */
const HOST_CHARACTERS = 20;

/** Each `flagmeter start`, or separate process that verifies tokens. Random, because hosts may be called alike, and have the same process ids. */
export function createMachineId(): string {
  return randomBytes(4).toString('hex');
}

/** The name of the connections of a process that verifies tokens, by which others find it. People read its host and process id. */
export function connectionName(
  hearing: Hearing,
  machineId: string,
  { host, processId }: Supervising,
): string {
  const label = host.split('.', 1).join('').slice(-HOST_CHARACTERS);
  return `flagmeter ${hearing}, ${machineId} ${label}/${processId}`;
}

type Supervising = { readonly host: string; readonly processId: number };

export type Machines = {
  /** The host and process id of each `flagmeter start` and of each separate process that verifies tokens now. */
  readonly names: readonly string[];
  /** Whether some of them do not hear of the revocations of others. */
  readonly areApart: boolean;
};

/** Behind a pooler that shares connections, some names may be missing. */
export async function readMachines(db: Postgres): Promise<Machines> {
  const { rows } = await db.query<{ hearing: Hearing; id: string; name: string }>(
    `select distinct split[1] as hearing, split[2] as id, split[3] as name
     from pg_stat_activity, regexp_match(application_name, '^flagmeter (with Redis|without Redis), ([0-9a-f]{8}) (.+)$') as split
     where datname = current_database()
       and split is not null
     order by name, id`,
  );
  const areApart = rows.length > 1 && rows.some(({ hearing }) => hearing === 'without Redis');
  return { names: rows.map(({ name }) => name), areApart };
}

import type { ClickHouseClient } from '@clickhouse/client';
import { FlagmeterError, describeStatement, traced } from '#base/runtime';

/** Clients of the replicas of a shard, used as one. Each statement goes to the current replica. */
export type ClickHouse = Pick<ClickHouseClient, 'query' | 'exec' | 'insert' | 'command' | 'close'> & {
  /** The current replica only. For a statement that relies on what another one did on the same replica. */
  pinned(): ClickHouse;
};

/** A server, and what must hold before it is used the first time. */
export type Server = { readonly client: ClickHouseClient; readonly check: () => Promise<void> };

/**
 * Uses the first replica until it fails, then the next one, and so on in a circle. A query is then repeated there at once. Any
 * other statement is not repeated, because its outcome may be unknown. The caller repeats it, and then reaches the next replica.
 * A single server is a list of one replica.
 */
export function overReplicas(servers: readonly Server[]): ClickHouse {
  const checked = new Set<Server>();
  let current = 0;
  const use = async (index: number): Promise<ClickHouseClient> => {
    const server = servers[index] as Server; // `index` is an index of the list.
    if (!checked.has(server)) await server.check();
    checked.add(server);
    return server.client;
  };
  const leave = (failed: number): void => {
    if (current === failed) current = (failed + 1) % servers.length;
  };
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(({ client }) => client.close()));
  };
  return using({ count: servers.length, use, choose: () => current, leave, close });
}

type Replicas = {
  readonly count: number;
  /** The checked client of a replica, by its index. */
  readonly use: (index: number) => Promise<ClickHouseClient>;
  /** The index of the replica to use now. */
  readonly choose: () => number;
  /** Called with the index of a replica that failed. */
  readonly leave: (failed: number) => void;
  readonly close: () => Promise<void>;
};

function using({ count, use, choose, leave, close }: Replicas): ClickHouse {
  const attempt = async <T>(used: number, call: (client: ClickHouseClient) => Promise<T>): Promise<T> => {
    try {
      return await call(await use(used));
    } catch (error) {
      if (isOfReplica(error)) leave(used);
      throw error;
    }
  };
  const read = async <T>(call: (client: ClickHouseClient) => Promise<T>): Promise<T> => {
    for (let left = count - 1; left > 0; left -= 1) {
      const used = choose();
      try {
        return await attempt(used, call);
      } catch (error) {
        if (choose() === used) throw error; // Not a problem of the replica, or no other one may be used.
      }
    }
    return attempt(choose(), call);
  };
  return {
    query: (params) => tracedStatement(params, () => read((client) => client.query(params))),
    exec: (params) => tracedStatement(params, () => attempt(choose(), (client) => client.exec(params))),
    insert: (params) => attempt(choose(), (client) => client.insert(params)),
    command: (params) => tracedStatement(params, () => attempt(choose(), (client) => client.command(params))),
    close,
    pinned() {
      const used = choose();
      return using({ count, use, choose: () => used, leave, close });
    },
  };
}

function tracedStatement<T>({ query }: { readonly query: string }, run: () => Promise<T>): Promise<T> {
  return traced(() => describeStatement('clickhouse', query), run);
}

/** Answers of a replica that cannot write now, or that lags behind, while another one may work. */
const TROUBLES: readonly unknown[] = [
  'TABLE_IS_READ_ONLY',
  'KEEPER_EXCEPTION',
  'UNKNOWN_STATUS_OF_INSERT',
  'TIMEOUT_EXCEEDED',
];

/** Whether another replica may succeed: there was no answer, or one that shows a problem of this replica. */
function isOfReplica(error: unknown): boolean {
  if (error instanceof FlagmeterError) return false; // The check failed, so an operator must act.
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  return type === undefined || TROUBLES.includes(type);
}

import type { ClickHouseClient } from '@clickhouse/client';
import { describeStatement, traced } from '#runtime';

/** Clients of the replicas of a shard, used as one. Each statement goes to the current replica. */
export type ClickHouse = Pick<ClickHouseClient, 'query' | 'exec' | 'insert' | 'command' | 'close'> & {
  /** The current replica only. For a statement that relies on what another one did on the same replica. */
  pinned(): ClickHouse;
};

/**
 * Uses the first replica until it fails, then the next one, and so on in a circle. A query is then repeated there at once. Any
 * other statement is not repeated, because its outcome may be unknown. The caller repeats it, and then reaches the next replica.
 * A single server is a list of one replica.
 */
export function overReplicas(clients: readonly ClickHouseClient[]): ClickHouse {
  let current = 0;
  const leave = (failed: number): void => {
    if (current === failed) current = (failed + 1) % clients.length;
  };
  const close = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close()));
  };
  return using({ clients, choose: () => current, leave, close });
}

type Replicas = {
  readonly clients: readonly ClickHouseClient[];
  /** The index of the replica to use now. */
  readonly choose: () => number;
  /** Called with the index of a replica that failed. */
  readonly leave: (failed: number) => void;
  readonly close: () => Promise<void>;
};

function using({ clients, choose, leave, close }: Replicas): ClickHouse {
  const attempt = async <T>(used: number, call: (client: ClickHouseClient) => Promise<T>): Promise<T> => {
    try {
      return await call(clients[used] as ClickHouseClient); // `used` is an index of the list.
    } catch (error) {
      if (isOfReplica(error)) leave(used);
      throw error;
    }
  };
  const read = async <T>(call: (client: ClickHouseClient) => Promise<T>): Promise<T> => {
    for (let left = clients.length - 1; left > 0; left -= 1) {
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
      return using({ clients, choose: () => used, leave, close });
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
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  return type === undefined || TROUBLES.includes(type);
}

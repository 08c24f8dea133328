import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import type { Network } from '../network.ts';
import { entryOf, partsOf } from './insert-rows.ts';
import type { ClickHouseServer } from './server.ts';
import { type Params, answerQuery } from './statements.ts';

type Statement = {
  readonly query: string;
  readonly query_id?: string;
  readonly session_id?: string;
  readonly query_params?: Params;
  readonly values?: AsyncIterable<string | Buffer>;
  readonly clickhouse_settings?: {
    readonly insert_deduplication_token?: string;
    readonly receive_timeout?: number;
  };
};

/** `request_timeout` of our clients. */
const TIMEOUT_MS = 30_000;
const KILL_MS = 5000;
/** `receive_timeout` of ClickHouse. */
const SYNC_SECONDS = 300;

/** A client of one simulated server, with the part of the official one that our code uses. */
export function createSimulatedClient(network: Network, server: ClickHouseServer): ClickHouseClient {
  const ask = <T>(label: string, answer: () => T, timeoutMs = TIMEOUT_MS): Promise<T> =>
    network.call<T>(server, {
      label,
      timeoutMs,
      serve: ({ resolve }) => {
        resolve(answer());
      },
    });
  const client = {
    async query({ query, query_params = {}, session_id }: Statement) {
      const rows = await ask('query', () => {
        if (session_id !== undefined) server.openSession(session_id);
        return answerQuery(server, query, query_params);
      });
      return { json: () => Promise.resolve(rows) };
    },
    async command({ query, query_params = {}, clickhouse_settings }: Statement) {
      if (query.startsWith('kill query'))
        await ask(
          'kill query',
          () => {
            server.killQuery(String(query_params['id']));
          },
          KILL_MS,
        );
      else if (query.startsWith('system sync replica'))
        await sync(query, clickhouse_settings?.receive_timeout);
      else await ask('command', () => answerQuery(server, query, query_params));
    },
    async exec({ query, query_id = '', session_id, values, clickhouse_settings }: Statement) {
      let lines = '';
      if (values !== undefined) for await (const chunk of values) lines += String(chunk);
      const entry = entryOf(query);
      const token = `${entry.table} ${clickhouse_settings?.insert_deduplication_token ?? query_id}`;
      const insert = { queryId: query_id, sessionId: session_id, token, parts: partsOf(entry, lines) };
      await network.call<undefined>(server, {
        label: 'insert',
        timeoutMs: TIMEOUT_MS,
        serve: (reply) => {
          server.insert(insert, reply);
        },
      });
      return { stream: Readable.from([]) };
    },
    insert: () => Promise.reject(new Error('the counting path inserts with exec')),
    close: () => Promise.resolve(),
  };

  /** Waits for the parts of other replicas, or for their list. */
  const sync = (query: string, seconds = SYNC_SECONDS): Promise<undefined> =>
    network.call<undefined>(server, {
      label: 'sync replica',
      timeoutMs: TIMEOUT_MS,
      serve: (reply) => {
        const [, table = '', mode] = /^system sync replica `(\w+)` (\w+)$/.exec(query) ?? [];
        if (mode === 'lightweight') server.sync(table, seconds * 1000, reply);
        else reply.resolve(undefined);
      },
    });

  return client as unknown as ClickHouseClient; // only what is used exists
}

import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ClickHouse, openClickHouse } from '#core/clickhouse';
import { inBackground } from '#base/runtime';

/** A statement as a ClickHouse server receives it. */
export type Statement = {
  readonly sql: string;
  /** Parameters and settings of the request. */
  readonly params: Readonly<Record<string, string>>;
  /** What an INSERT sends. */
  readonly rows: string;
};

/** Rows, or the name of an error. */
export type Answer =
  | readonly Readonly<Record<string, string | number | boolean | readonly string[]>>[]
  | string;

export type RecordingServer = {
  readonly url: string;
  /** All statements so far, each on one line. */
  readonly statements: Statement[];
  close(): Promise<void>;
};

/** Answers statements in the protocol of ClickHouse, and records them. */
export async function startRecordingServer(
  answer: (statement: Statement) => Answer,
): Promise<RecordingServer> {
  const statements: Statement[] = [];
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const statement = await readStatement(request);
      statements.push(statement);
      const rows = answer(statement);
      if (typeof rows === 'string') response.writeHead(500).end(`Code: 1. DB::Exception: no. (${rows})`);
      else response.end(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    };
    inBackground(respond(), () => {
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // An address is a string for pipes only.
  return {
    url: `http://127.0.0.1:${port}`,
    statements,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readStatement(request: IncomingMessage): Promise<Statement> {
  const body = await text(request);
  const { query, ...params } = Object.fromEntries(
    new URL(request.url ?? '', 'http://localhost').searchParams,
  );
  // The client sends an INSERT as a parameter, and its rows as the body.
  const [sql, rows] = query === undefined ? [body, ''] : [query, body];
  return { sql: sql.replaceAll(/\s+/g, ' ').trim(), params, rows };
}

/** The client of the services, for these replicas. */
export function openReplicas(servers: readonly RecordingServer[]): ClickHouse {
  const url = servers.map((server) => server.url).join(',');
  return openClickHouse({
    url,
    username: 'owner',
    password: 'secret',
    database: 'flagmeter',
    tls: undefined,
    timeoutMs: 5000,
  });
}

export type RecordedClickHouse = {
  readonly db: ClickHouse;
  /** All statements of the test so far. */
  readonly statements: Statement[];
};

/** A recording server and a client of it for each test of the present suite. */
export function recordedClickHouse(answer: (statement: Statement) => Answer): RecordedClickHouse {
  let server: RecordingServer;
  let db: ClickHouse;
  beforeEach(async () => {
    server = await startRecordingServer(answer);
    db = openReplicas([server]);
  });
  afterEach(async () => {
    await db.close();
    await server.close();
  });
  return {
    get db() {
      return db;
    },
    get statements() {
      return server.statements;
    },
  };
}

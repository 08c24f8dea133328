import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import {
  type ClickHouse,
  asReader,
  isNotSetUp,
  openClickHouse,
  readRows,
  refreshVerdicts,
  runStatement,
} from '#core/clickhouse';
import {
  type Answer,
  type RecordingServer,
  startRecordingServer,
} from '../../../../support/servers/upstream/clickhouse-server.ts';

const LOGIN = { username: 'owner', password: 'secret', database: 'flagmeter', tls: undefined };

describe('the client of ClickHouse', () => {
  let server: RecordingServer;
  let answer: (sql: string) => Answer;
  const opened: ClickHouse[] = [];

  beforeEach(async () => {
    answer = () => [];
    server = await startRecordingServer(({ sql }) => answer(sql));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.close()));
    await server.close();
  });

  function open(options: Partial<Parameters<typeof openClickHouse>[0]> = {}): ClickHouse {
    const db = openClickHouse({ ...LOGIN, url: server.url, ...options });
    opened.push(db);
    return db;
  }

  it('asks for numbers whose last digits no JSON parser rounds, in its database', async () => {
    await readRows(open(), 'select 1');
    expect(server.statements).to.have.length(1);
    expect(server.statements[0]?.params).to.include({
      database: 'flagmeter',
      output_format_json_quote_64bit_integers: '1',
    });
    expect(server.statements[0]?.params).not.to.have.any.keys(
      'distributed_product_mode',
      'max_execution_time',
    );
  });

  it('lets the server end a query when the caller stops to wait', async () => {
    await readRows(open({ readDeadlineMs: 2500 }), 'select 1');
    expect(server.statements[0]?.params).to.include({ max_execution_time: '2.5' });
  });

  it('gives a query up at that deadline, or at that of its own', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // An address is a string for pipes only.
    for (const limits of [{ timeoutMs: 50 }, { timeoutMs: 60_000, readDeadlineMs: 50 }]) {
      const db = open({ ...limits, url: `http://127.0.0.1:${port}` });
      expect(await readRows(db, 'select 1').catch(String)).to.include('Timeout');
    }
    silent.closeAllConnections();
    silent.close();
  });

  it('returns from a statement when all of it has happened', async () => {
    await runStatement(open(), 'optimize table t', { max_threads: 1 });
    expect(server.statements[0]?.params).to.include({ wait_end_of_query: '1', max_threads: '1' });
  });

  it('leaves out no shard, and checks before the first use that the server reads each one once', async () => {
    answer = () => [0, 1].map((shard) => ({ shard, shards: 2 }));
    await readRows(open({ url: `${server.url}; ${server.url}` }), 'select 1');
    expect(server.statements.map(({ sql }) => sql.split(' FORMAT')[0])).to.deep.equal([
      'select shard, shards from shard_numbers order by shard',
      'select 1',
    ]);
    for (const { params } of server.statements)
      expect(params).to.include({ distributed_product_mode: 'global', skip_unavailable_shards: '0' });

    answer = () => [{ shard: 0, shards: 2 }];
    const problem = await problemOf(open({ url: `${server.url};${server.url}` }));
    expect(problem).to.include({ code: 'shards' });
    expect(String(problem)).to.include(`remote_servers of ${new URL(server.url).host} reads shard 1 of 2`);
  });

  it('checks before the first use that a server belongs to its shard', async () => {
    answer = () => [{ shard: 0, shards: 2 }];
    await readRows(open({ shard: { number: 0, of: 2 } }), 'select 1');
    const problem = await problemOf(open({ shard: { number: 1, of: 2 } }));
    expect(problem).to.include({ code: 'shards' });
    expect(String(problem)).to.include(`${new URL(server.url).host} belongs to shard 1 of 2`);
  });

  it('reads as another user of the same server', () => {
    const reader = { username: 'reader', password: 'other' };
    expect(asReader({ ...LOGIN, url: server.url, reader })).to.deep.equal({
      ...LOGIN,
      ...reader,
      url: server.url,
    });
  });

  for (const name of ['UNKNOWN_DATABASE', 'UNKNOWN_TABLE', 'UNKNOWN_IDENTIFIER'])
    it(`knows ${name} as a sign that the migrations are missing`, async () => {
      answer = () => name;
      expect(isNotSetUp(await problemOf(open()))).to.equal(true);
    });

  it('does not take other errors for such a sign', async () => {
    answer = () => 'TIMEOUT_EXCEEDED';
    const others = [
      await problemOf(open()),
      new Error('UNKNOWN_TABLE'),
      { type: 'UNKNOWN_TABLE' },
      undefined,
    ];
    expect(others.map(isNotSetUp)).to.deep.equal([false, false, false, false]);
  });

  it('computes verdicts and debt in the order in which they read each other', async () => {
    await refreshVerdicts(open());
    const first = ['feature_verdict_snapshot', 'experiment_snapshot', 'feature_days_refresh'];
    expect(server.statements.map(({ sql }) => sql)).to.deep.equal([
      ...first.map((view) => `system refresh view ${view}`),
      ...first.map((view) => `system wait view ${view}`),
      'system refresh view flag_debt_snapshot',
      'system wait view flag_debt_snapshot',
    ]);
  });
});

/** Why a query fails. */
function problemOf(db: ClickHouse): Promise<unknown> {
  return readRows(db, 'select 1').catch((error: unknown) => error);
}

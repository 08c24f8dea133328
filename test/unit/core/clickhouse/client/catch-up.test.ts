import { expect } from 'chai';
import { caughtUp, readRows } from '#core/clickhouse';
import { countMissingInserts } from '../../../../../packages/core/clickhouse/client/catch-up.ts';
import {
  type Answer,
  type RecordingServer,
  openReplicas,
  startRecordingServer,
} from '../../../../support/servers/upstream/clickhouse-server.ts';

describe('a replica that others may be ahead of', () => {
  let replica: RecordingServer;
  let tables: Answer;
  let synced: Answer;

  beforeEach(async () => {
    tables = [{ name: 'usage_hourly' }, { name: 'blocks' }];
    synced = [];
    replica = await startRecordingServer(({ sql }) => {
      if (sql.startsWith('select name')) return tables;
      return sql.startsWith('system sync') ? synced : [{ missing: '3' }];
    });
  });
  afterEach(() => replica.close());

  it('is used only after it has fetched all tables', async () => {
    const db = openReplicas([replica]);
    await caughtUp(db);
    await db.close();

    expect(sentTo(replica)).to.deep.equal([
      "select name from system.tables where database = currentDatabase() and startsWith(engine, 'Replicated') FORMAT JSONEachRow",
      'system sync replica `usage_hourly` lightweight',
      'system sync replica `blocks` lightweight',
    ]);
    // The server ends the wait itself, before the client does.
    expect(replica.statements.at(-1)?.params).to.include({ receive_timeout: '20' });
  });

  it('fetches only the tables that the caller reads', async () => {
    const db = openReplicas([replica]);
    await caughtUp(db, ['blocks']);
    await db.close();

    expect(replica.statements[0]?.sql).to.include('and name in {tables:Array(String)}');
    expect(replica.statements[0]?.params['param_tables']).to.equal("['blocks']");
  });

  it('has nothing to fetch if it is a single server', async () => {
    tables = [];
    const db = openReplicas([replica]);
    await caughtUp(db);
    const missing = await countMissingInserts(db, 'blocks');
    await db.close();

    expect(missing).to.equal(0);
    expect(sentTo(replica).filter((sql) => !sql.startsWith('select name'))).to.deep.equal([]);
  });

  it('is left for the next one if it cannot fetch in time', async () => {
    synced = 'TIMEOUT_EXCEEDED';
    const next = await startRecordingServer(() => []);
    const db = openReplicas([replica, next]);
    const problem: unknown = await caughtUp(db).catch((error: unknown) => error);
    await caughtUp(db);
    await db.close();
    await next.close();

    expect(problem).to.include({ type: 'TIMEOUT_EXCEEDED' });
    expect(sentTo(next)).to.have.length(1);
  });

  it('is the one that the caller goes on with, even if others have left it', async () => {
    const next = await startRecordingServer(() => []);
    const db = openReplicas([replica, next]);
    const caught = await caughtUp(db);
    synced = 'TIMEOUT_EXCEEDED';
    await caughtUp(db).catch(() => undefined);
    const rows = await readRows(caught, 'select 1');
    await db.close();
    await next.close();

    expect(rows).to.deep.equal([{ missing: '3' }]);
    expect(next.statements).to.deep.equal([]);
  });

  it('learns which INSERTs exist before it counts those that it lacks', async () => {
    const db = openReplicas([replica]);
    const missing = await countMissingInserts(db, 'blocks');
    await db.close();

    expect(missing).to.equal(3);
    const [, pull, count] = sentTo(replica);
    expect(pull).to.equal('system sync replica `blocks` pull');
    expect(count).to.include('system.replication_queue');
    expect(replica.statements[0]?.params).to.include({ param_tables: "['blocks']" });
    expect(replica.statements.at(-1)?.params).to.include({ param_table: 'blocks' });
  });
});

function sentTo({ statements }: RecordingServer): string[] {
  return statements.map(({ sql }) => sql);
}

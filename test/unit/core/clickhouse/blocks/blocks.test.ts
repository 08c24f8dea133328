import { expect } from 'chai';
import { type Blocks, type ClickHouse, createBlocks } from '#core/clickhouse';
import { RECEIVED_AT, aMetric } from '../../../../support/builders/builders.ts';
import { aBlock } from '../../../../support/stack/engines/clickhouse/stored-blocks.ts';
import {
  type Answer,
  type RecordingServer,
  openReplicas,
  startRecordingServer,
} from '../../../../support/servers/upstream/clickhouse-server.ts';

const BLOCK = aBlock({ metrics: [aMetric({ yes: 1 })], receivedAt: RECEIVED_AT });

describe('storing a block', () => {
  let server: RecordingServer;
  let db: ClickHouse;
  let blocks: Blocks;
  let replicated: string;
  /** How the first INSERT ends. */
  let inserted: Answer;

  beforeEach(async () => {
    [replicated, inserted] = ['0', []];
    server = await startRecordingServer(({ sql }) => {
      if (sql.startsWith('select count() as replicated')) return [{ replicated }];
      const answer = sql.startsWith('insert') ? inserted : [];
      if (sql.startsWith('insert')) inserted = [];
      return answer;
    });
    db = openReplicas([server]);
    blocks = createBlocks(db);
  });
  afterEach(async () => {
    await db.close();
    await server.close();
  });

  /** The session of each INSERT. */
  function sessions(): unknown[] {
    return server.statements
      .filter(({ sql }) => sql.startsWith('insert'))
      .map(({ params }) => (params['session_check'] === '1' ? params['session_id'] : undefined));
  }

  it('runs in the session that was opened before, and keeps that session for the next block', async () => {
    const session = await blocks.openSession();
    const next = await blocks.insert(BLOCK, session);

    expect(session).to.match(/^[-0-9a-f]{36}$/);
    expect(server.statements[0]?.params).to.include({ session_id: session, session_timeout: '600' });
    expect(sessions()).to.deep.equal([session]);
    expect(next).to.equal(session);
  });

  it('names no session if the tables are replicated', async () => {
    replicated = '1';
    const session = await blocks.openSession();
    const next = await blocks.insert(BLOCK, session);

    expect(session).to.equal(undefined);
    expect(server.statements.at(-1)?.params).to.not.have.any.keys('session_id', 'session_check');
    expect(next).to.equal(undefined);
  });

  it('completes the block in another session if ClickHouse has forgotten the session', async () => {
    const session = await blocks.openSession();
    inserted = 'SESSION_NOT_FOUND';
    const next = await blocks.insert(BLOCK, session);

    expect(next)
      .to.match(/^[-0-9a-f]{36}$/)
      .and.not.equal(session);
    expect(sessions()[0]).to.equal(session);
    expect(new Set(sessions().slice(1))).to.deep.equal(new Set([next]));
  });

  it('leaves an INSERT of unknown outcome to the caller, whose next try completes the block', async () => {
    inserted = 'TIMEOUT_EXCEEDED';
    const problem: unknown = await blocks.insert(BLOCK, 'session').catch((error: unknown) => error);

    expect(problem).to.include({ type: 'TIMEOUT_EXCEEDED' });
    expect(sessions()).to.deep.equal(['session']);
  });
});

describe('the history of a partition', () => {
  const key = { topic: 'counts', epoch: 2, partition: 3 };
  let server: RecordingServer;
  let db: ClickHouse;

  beforeEach(async () => {
    server = await startRecordingServer(({ sql }) => {
      if (sql.startsWith('select max(to_offset)')) return [{ stored_to: '100' }];
      if (sql.startsWith('select from_offset, to_offset, dead'))
        return [{ from_offset: '4', to_offset: '7', dead: '2' }];
      if (sql.includes('batch_ids')) return [];
      return sql.includes('as appended') ? lastBlocks() : [];
    });
    db = openReplicas([server]);
  });
  afterEach(async () => {
    await db.close();
    await server.close();
  });

  /** Blocks of one message, four seconds apart, the last one first. */
  function lastBlocks(): Answer {
    return Array.from({ length: 60 }, (_, index) => ({
      from_offset: String(99 - index),
      to_offset: String(100 - index),
      appended: String(RECEIVED_AT - index * 4000),
    }));
  }

  it('ends with the last stored block, and has the dead letters and the batches before an offset', async () => {
    const { storedTo, countedBlocks, deadBlocks } = await createBlocks(db).readHistory(key, 100n, 45_000);
    const counted = server.statements.find(({ sql }) => sql.includes('batch_ids'));

    expect(storedTo).to.equal(100n);
    expect(countedBlocks).to.deep.equal([]);
    expect(deadBlocks).to.deep.equal([{ from: 4n, to: 7n, dead: 2 }]);
    // Batch ids are forgotten after two minutes of the log.
    expect(counted?.params).to.include({ param_start: '69', param_to: '100' });
  });

  it('is read from a replica that has every block, and the epoch from one that has every epoch', async () => {
    const blocks = createBlocks(db);
    await blocks.readHistory(key, 9n, 45_000);
    await blocks.readEpoch('counts');

    const replicated = server.statements.filter(({ sql }) =>
      sql.startsWith('select name from system.tables'),
    );
    expect(replicated.map(({ params }) => params['param_tables'])).to.deep.equal([
      "['blocks','counter_states']",
      "['topic_epochs']",
    ]);
  });

  it('is stored by one INSERT for several blocks, whose token names the first and the last', async () => {
    await createBlocks(db).insertAll([BLOCK, aBlock({ metrics: [aMetric({ yes: 1 })], from: 7n })]);
    const tokens = server.statements.map(({ params }) => params['insert_deduplication_token']);

    expect(tokens).to.deep.equal(['counts:1:0:0:1..counts:1:0:7:8']);
  });
});

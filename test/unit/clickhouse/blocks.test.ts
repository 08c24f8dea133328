import { expect } from 'chai';
import { type Blocks, type ClickHouse, createBlocks } from '#clickhouse';
import { RECEIVED_AT, aMetric } from '../../support/builders/builders.ts';
import { aBlock } from '../../support/engines/clickhouse/stored-blocks.ts';
import {
  type Answer,
  type RecordingServer,
  openReplicas,
  startRecordingServer,
} from '../../support/upstream/clickhouse-server.ts';

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
    expect(server.statements.at(-1)?.params).to.not.have.property('session_id');
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

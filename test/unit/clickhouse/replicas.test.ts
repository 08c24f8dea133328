import { expect } from 'chai';
import { type ClickHouse, readRows, runStatement } from '#clickhouse';
import {
  type Answer,
  type RecordingServer,
  openReplicas,
  startRecordingServer,
} from '../../support/upstream/clickhouse-server.ts';

describe('the replicas of a shard', () => {
  let first: RecordingServer;
  let second: RecordingServer;
  let db: ClickHouse;
  let answer: Answer;

  beforeEach(async () => {
    answer = [{ from: 'first' }];
    first = await startRecordingServer(() => answer);
    second = await startRecordingServer(() => [{ from: 'second' }]);
    db = openReplicas([first, second]);
  });
  afterEach(async () => {
    await db.close();
    await first.close();
    await second.close();
  });

  const read = (client = db) => readRows(client, 'select 1');

  it('are used in the order of preference', async () => {
    expect(await read()).to.deep.equal([{ from: 'first' }]);
  });

  for (const trouble of [
    'TABLE_IS_READ_ONLY',
    'KEEPER_EXCEPTION',
    'UNKNOWN_STATUS_OF_INSERT',
    'TIMEOUT_EXCEEDED',
  ]) {
    it(`answer a query from the next one after ${trouble}`, async () => {
      answer = trouble;
      expect(await read()).to.deep.equal([{ from: 'second' }]);
    });

    it(`do not repeat another statement after ${trouble}, and then use the next one`, async () => {
      answer = trouble;
      const problem = await runStatement(db, 'optimize table t').catch(String);
      expect(problem).to.be.a('string');
      expect(second.statements).to.deep.equal([]);

      answer = [];
      expect(await read()).to.deep.equal([{ from: 'second' }]);
    });
  }

  it('are not left because of an error in the statement', async () => {
    answer = 'UNKNOWN_IDENTIFIER';
    expect(await read().catch(String)).to.be.a('string');
    answer = [];
    expect(await read()).to.deep.equal([]);
  });

  it('keep a pinned caller on its replica, and leave that one for everybody else', async () => {
    const pinned = db.pinned();
    answer = 'TIMEOUT_EXCEEDED';
    expect(await read(pinned).catch(String)).to.be.a('string');
    answer = [{ from: 'first' }];

    expect(await read(pinned)).to.deep.equal([{ from: 'first' }]);
    expect(await read()).to.deep.equal([{ from: 'second' }]);
  });
});

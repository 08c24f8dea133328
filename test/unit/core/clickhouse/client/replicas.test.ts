import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { expect } from 'chai';
import { type ClickHouse, readRows, runStatement } from '#core/clickhouse';
import { FlagmeterError } from '#base/runtime';
import { overReplicas } from '../../../../../packages/core/clickhouse/client/replicas.ts';
import {
  type Answer,
  type RecordingServer,
  openReplicas,
  startRecordingServer,
} from '../../../../support/servers/upstream/clickhouse-server.ts';

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

  it('are each tried once, and then from the first one on again', async () => {
    const last = await startRecordingServer(() => 'TIMEOUT_EXCEEDED');
    const both = openReplicas([first, last]);
    answer = 'KEEPER_EXCEPTION';
    const problem: unknown = await read(both).catch((error: unknown) => error);
    expect(problem).to.include({ type: 'TIMEOUT_EXCEEDED' });
    expect([first, last].map(({ statements }) => statements.length)).to.deep.equal([1, 1]);

    answer = [{ from: 'first' }];
    expect(await read(both)).to.deep.equal([{ from: 'first' }]);
    await both.close();
    await last.close();
  });

  it('are left after an INSERT without an outcome, which is not repeated', async () => {
    answer = 'UNKNOWN_STATUS_OF_INSERT';
    const insert = { table: 't', values: [{ a: 1 }], format: 'JSONEachRow' } as const;
    expect(await db.insert(insert).catch(String)).to.be.a('string');

    expect(second.statements).to.deep.equal([]);
    expect(await read()).to.deep.equal([{ from: 'second' }]);
  });

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

  it('are checked before their first use, each once', async () => {
    const checked: string[] = [];
    const checkedDb = overReplicas([aServer(first), aServer(second)]);
    await read(checkedDb);
    await read(checkedDb);
    expect(checked).to.deep.equal([first.url]);

    answer = 'KEEPER_EXCEPTION';
    await read(checkedDb);
    expect(checked).to.deep.equal([first.url, second.url]);
    await checkedDb.close();

    function aServer({ url }: RecordingServer) {
      const check = (): Promise<void> => Promise.resolve(void checked.push(url));
      return { client: aClient(url), check };
    }
  });

  it('are not left because a check failed, which an operator must see', async () => {
    const failure = new FlagmeterError('shards', 'another shard');
    const failing = { client: aClient(first.url), check: () => Promise.reject(failure) };
    const other = { client: aClient(second.url), check: () => Promise.resolve() };
    const checkedDb = overReplicas([failing, other]);

    for (let times = 0; times < 2; times += 1)
      expect(await read(checkedDb).catch((error: unknown) => error)).to.equal(failure);
    expect([...first.statements, ...second.statements]).to.deep.equal([]);
    await checkedDb.close();
  });
});

function aClient(url: string) {
  return createClient({ url, log: { level: ClickHouseLogLevel.OFF } });
}

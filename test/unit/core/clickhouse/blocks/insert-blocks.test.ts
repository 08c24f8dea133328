import { expect } from 'chai';
import type { ClickHouse } from '#core/clickhouse';
import { insertBlocks } from '../../../../../packages/core/clickhouse/blocks/insert-blocks.ts';
import { RECEIVED_AT, aMetric } from '../../../../support/builders/builders.ts';
import { aBlock } from '../../../../support/stack/engines/clickhouse/stored-blocks.ts';
import {
  type Answer,
  type RecordingServer,
  openReplicas,
  startRecordingServer,
} from '../../../../support/servers/upstream/clickhouse-server.ts';

const BLOCK = aBlock({ metrics: [aMetric({ yes: 1 })], receivedAt: RECEIVED_AT });

describe('an INSERT of blocks', () => {
  let server: RecordingServer;
  let other: RecordingServer;
  let db: ClickHouse;
  let inserted: Answer;
  let killed: Answer;

  beforeEach(async () => {
    [inserted, killed] = [[], []];
    server = await startRecordingServer(({ sql }) => (sql.startsWith('kill') ? killed : inserted));
    other = await startRecordingServer(() => []);
    db = openReplicas([server, other]);
  });
  afterEach(async () => {
    await db.close();
    await server.close();
    await other.close();
  });

  it('carries the token of the block, so that a repetition changes nothing', async () => {
    await insertBlocks(db, [BLOCK]);

    expect(server.statements).to.have.length(1);
    expect(server.statements[0]?.params).to.include({
      insert_deduplication_token: 'counts:1:0:0:1',
      deduplicate_insert: 'enable',
      async_insert: '0',
      insert_keeper_max_retries: '8',
      // One chunk, because the token counts chunks.
      input_format_parallel_parsing: '0',
      max_insert_block_size: '10000000',
    });
  });

  for (const trouble of ['MEMORY_LIMIT_EXCEEDED', 'TIMEOUT_EXCEEDED'])
    it(`is killed on its own replica after ${trouble}, because the server may continue it`, async () => {
      inserted = trouble;
      const problem = await insertBlocks(db, [BLOCK]).catch(String);
      const [insert, kill] = server.statements;

      expect(problem).to.be.a('string');
      expect(kill?.sql).to.equal('kill query where query_id = {id:String} sync');
      expect(kill?.params['param_id']).to.equal(insert?.params['query_id']).and.to.be.a('string');
      expect(other.statements).to.deep.equal([]);
    });

  it('fails with its own error if it cannot be killed', async () => {
    [inserted, killed] = ['MEMORY_LIMIT_EXCEEDED', 'ACCESS_DENIED'];
    const problem: unknown = await insertBlocks(db, [BLOCK]).catch((error: unknown) => error);

    expect(problem).to.include({ type: 'MEMORY_LIMIT_EXCEEDED' });
    expect(server.statements).to.have.length(2);
  });
});

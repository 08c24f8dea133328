import { expect } from 'chai';
import type { ClickHouse } from '#core/clickhouse';
import { readDeduplicationWindowUsed } from '../../../../../packages/core/clickhouse/blocks/deduplication-window.ts';
import {
  type RecordingServer,
  openReplicas,
  startRecordingServer,
} from '../../../../support/servers/upstream/clickhouse-server.ts';

const SINCE = Date.UTC(2026, 10, 21);

describe('the used part of the deduplication windows', () => {
  let server: RecordingServer;
  let db: ClickHouse;
  /** The stored blocks at each reading. The last number stays. */
  let stored: number[];
  /** The blocks that the replica lacks; undefined on a single server. */
  let missing: number | undefined;

  beforeEach(async () => {
    [stored, missing] = [[], undefined];
    server = await startRecordingServer(({ sql }) => {
      if (sql.startsWith('select name')) return missing === undefined ? [] : [{ name: 'blocks' }];
      if (sql.startsWith('system sync')) return [];
      if (sql.startsWith('with splitByChar')) return [{ missing: String(missing) }];
      const blocks = stored.length > 1 ? stored.shift() : stored[0];
      return [{ blocks: String(blocks), places: '1000' }];
    });
    db = openReplicas([server]);
  });
  afterEach(async () => {
    await db.close();
    await server.close();
  });

  const waits = () => server.statements.filter(({ sql }) => sql.includes('lightweight'));

  it('is three places for each block since then, with a minute for clocks that differ', async () => {
    stored = [100];

    expect(await readDeduplicationWindowUsed(db, SINCE)).to.equal(0.3);
    expect(server.statements.at(-1)?.params).to.include({ param_since: String(SINCE - 60_000) });
  });

  it('is read without a wait from a single server, however much is used', async () => {
    stored = [400];

    expect(await readDeduplicationWindowUsed(db, SINCE)).to.equal(1.2);
    expect(waits()).to.deep.equal([]);
    expect(server.statements.filter(({ sql }) => sql.includes('where stored_at >='))).to.have.length(1);
  });

  it('includes the blocks that the replica lacks', async () => {
    [stored, missing] = [[100], 200];

    expect(await readDeduplicationWindowUsed(db, SINCE)).to.equal(0.9);
    expect(waits()).to.deep.equal([]);
  });

  it('is read again after the replica has all blocks if the missing ones could matter', async () => {
    [stored, missing] = [[100, 250], 201];

    expect(await readDeduplicationWindowUsed(db, SINCE)).to.equal(0.75);
    expect(waits()).to.have.length(1);
    const asked = server.statements.filter(({ sql }) => sql.startsWith('select name'));
    expect(asked.map(({ params }) => params['param_tables'])).to.deep.equal(["['blocks']", "['blocks']"]);
  });
});

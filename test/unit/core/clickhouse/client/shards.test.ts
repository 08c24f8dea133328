import { expect } from 'chai';
import {
  type Shards,
  firstReplicasOf,
  openShards,
  readRows,
  replicasOf,
  serversOf,
  shardsOf,
} from '#core/clickhouse';
import {
  type RecordingServer,
  startRecordingServer,
} from '../../../../support/servers/upstream/clickhouse-server.ts';

const LOGIN = { username: 'owner', password: 'secret', database: 'flagmeter', tls: undefined };
const ONE = { ...LOGIN, url: 'http://a1,http://a2', cluster: 'whole' };
const TWO = { ...ONE, url: 'http://a1, http://a2;http://b1,http://b2' };
const OF_A = { ...LOGIN, database: 'flagmeter_shard', cluster: '', shard: { number: 0, of: 2 } };
const OF_B = { ...OF_A, shard: { number: 1, of: 2 } };

describe('shards', () => {
  it('have a database of their own each, and no statements on the cluster', () => {
    expect(shardsOf(TWO)).to.deep.equal([
      { ...OF_A, url: 'http://a1, http://a2' },
      { ...OF_B, url: 'http://b1,http://b2' },
    ]);
  });

  it('are the configured database if there is only one', () => {
    expect(shardsOf(ONE)).to.deep.equal([ONE]);
    expect(shardsOf({ ...LOGIN, url: '' })).to.deep.equal([{ ...LOGIN, url: '' }]);
  });

  it('can be reached by each replica alone, or by the first ones', () => {
    expect(replicasOf({ ...ONE, url: 'http://a1, http://a2' })).to.deep.equal([
      { ...ONE, url: 'http://a1' },
      { ...ONE, url: 'http://a2' },
    ]);
    expect(serversOf(TWO)).to.deep.equal([
      { ...OF_A, url: 'http://a1' },
      { ...OF_A, url: 'http://a2' },
      { ...OF_B, url: 'http://b1' },
      { ...OF_B, url: 'http://b2' },
    ]);
    expect(firstReplicasOf({ ...TWO, url: 'http://a1 ,http://a2; http://b1' })).to.deep.equal({
      ...TWO,
      url: 'http://a1;http://b1',
    });
  });

  describe('that are open', () => {
    let servers: RecordingServer[];
    let shards: Shards;

    beforeEach(async () => {
      servers = [await startRecordingServer(answerAs(0)), await startRecordingServer(answerAs(1))];
      shards = openShards({ ...LOGIN, url: servers.map(({ url }) => url).join(';') });
    });
    afterEach(async () => {
      await shards.close();
      await Promise.all(servers.map((server) => server.close()));
    });

    it('take turns with the partitions, for ever', async () => {
      expect(shards.all).to.have.length(2);
      const answers = [0, 1, 2, 3, 5].map((partition) => readRows(shards.of(partition), 'select 1'));
      expect((await Promise.all(answers)).flat()).to.deep.equal(
        [0, 1, 0, 1, 1].map((shard) => ({ shard, shards: 2 })),
      );
    });

    it('are checked before they are used', async () => {
      await readRows(shards.of(1), 'select 1');
      expect(
        servers.map(({ statements }) => statements.map(({ sql }) => sql.split(' from')[0])),
      ).to.deep.equal([[], ['select shard, shards', 'select 1 FORMAT JSONEachRow']]);
    });
  });
});

function answerAs(shard: number) {
  return () => [{ shard, shards: 2 }];
}

import { expect } from 'chai';
import { checkEveryReplica, checkShard } from '#core/clickhouse';
import { checkCluster, claimShard } from '../../../../../packages/core/clickhouse/client/shard-numbers.ts';
import { type Answer, recordedClickHouse } from '../../../../support/servers/upstream/clickhouse-server.ts';

const SECOND = { number: 1, of: 2 };
const CLUSTER = { cluster: "it's", database: 'flagmeter', shards: 2, host: 'a:8123' };

describe('the number that a ClickHouse server keeps of its shard', () => {
  /** The rows of `shard_numbers`, or of the replicas of the whole cluster, and the shard of each replica by the definition. */
  let numbers: Answer;
  let places: readonly number[];

  const clickhouse = recordedClickHouse(({ sql, rows }) => {
    if (sql.startsWith('INSERT INTO shard_numbers')) numbers = [JSON.parse(rows) as { shard: number }];
    return sql.includes('system.clusters') ? places.map((place) => ({ place })) : numbers;
  });
  beforeEach(() => {
    [numbers, places] = [[], []];
  });

  it('is recorded once', async () => {
    await claimShard(clickhouse.db, SECOND, 'a:8123');
    await claimShard(clickhouse.db, SECOND, 'a:8123');
    expect(numbers).to.deep.equal([{ shard: 1, shards: 2 }]);
    expect(clickhouse.statements.filter(({ sql }) => sql.startsWith('INSERT'))).to.have.length(1);
  });

  it('is read in the order of the shards', async () => {
    numbers = [{ shard: 1, shards: 2 }];
    await checkShard(clickhouse.db, SECOND, 'a:8123');
    expect(clickhouse.statements.map(({ sql }) => sql)).to.deep.equal([
      'select shard, shards from shard_numbers order by shard FORMAT JSONEachRow',
    ]);
  });

  const others: [found: string, rows: Answer][] = [
    ['no shard', []],
    ['shard 1 of 2', [{ shard: 0, shards: 2 }]],
    ['shard 2 of 3', [{ shard: 1, shards: 3 }]],
    [
      'shard 2 of 2 and shard 2 of 2',
      [
        { shard: 1, shards: 2 },
        { shard: 1, shards: 2 },
      ],
    ],
  ];
  for (const [found, rows] of others)
    it(`must be that of CLICKHOUSE_URL: ${found} is not`, async () => {
      numbers = rows;
      expect(await checkShard(clickhouse.db, SECOND, 'a:8123').catch((error: unknown) => error)).to.include({
        code: 'shards',
        message: `a:8123 belongs to ${found}, but CLICKHOUSE_URL names it as shard 2 of 2: name the same shards in the same order as before, because each Kafka partition stays in its shard`,
      });
    });

  it('is not claimed if another one was recorded', async () => {
    numbers = [{ shard: 0, shards: 2 }];
    expect(await claimShard(clickhouse.db, SECOND, 'a:8123').catch((error: unknown) => error)).to.include({
      code: 'shards',
    });
    expect(numbers).to.deep.equal([{ shard: 0, shards: 2 }]);
  });

  it('occurs once for each shard of a right cluster', async () => {
    numbers = [0, 1].map((shard) => ({ shard, shards: 2 }));
    await checkCluster(clickhouse.db, 2, 'a:8123');
  });

  const wrong: [what: string, rows: readonly [number, number][]][] = [
    ['a shard is missing', [[0, 2]]],
    ['the first shard is missing', [[1, 2]]],
    [
      'a shard occurs twice',
      [
        [0, 2],
        [0, 2],
      ],
    ],
    [
      'there is one too many',
      [
        [0, 2],
        [1, 2],
        [2, 2],
      ],
    ],
    [
      'one belongs to more shards',
      [
        [0, 2],
        [1, 3],
      ],
    ],
  ];
  for (const [what, rows] of wrong)
    it(`shows that the cluster is wrong if ${what}`, async () => {
      numbers = rows.map(([shard, shards]) => ({ shard, shards }));
      const read = rows.map(([shard, shards]) => `shard ${shard + 1} of ${shards}`).join(' and ');
      expect(await checkCluster(clickhouse.db, 2, 'a:8123').catch((error: unknown) => error)).to.include({
        code: 'shards',
        message: `The cluster that CLICKHOUSE_CLUSTER names in remote_servers of a:8123 reads ${read}, but CLICKHOUSE_URL names 2 shards: correct the cluster, so that it has each shard once`,
      });
    });

  describe('compared with the definition of the cluster, for every replica', () => {
    /** What each replica says of itself, in the order of the definition. */
    function saying(...shards: readonly number[]): void {
      numbers = shards.map((shard, index) => ({ replica: index + 1, shard, shards: 2 }));
    }

    it('is right if each shard has only its own replicas', async () => {
      places = [1, 1, 2, 2];
      saying(0, 0, 1, 1);
      await checkEveryReplica(clickhouse.db, CLUSTER);
      const [definition, replicas] = clickhouse.statements;
      expect(definition?.params).to.include({ param_cluster: "it\\'s" });
      expect(definition?.sql).to.equal(
        'select shard_num as place from system.clusters where cluster = {cluster:String} order by place, replica_num FORMAT JSONEachRow',
      );
      expect(replicas?.sql).to.equal(
        "select _shard_num as replica, shard, shards from clusterAllReplicas('it\\'s', 'flagmeter_shard', 'shard_numbers') FORMAT JSONEachRow",
      );
    });

    it('is right if the cluster has the shards in another order', async () => {
      places = [1, 2];
      saying(1, 0);
      await checkEveryReplica(clickhouse.db, CLUSTER);
    });

    const mistakes: [what: string, set: () => void][] = [
      [
        'a replica of another shard',
        () => {
          places = [1, 1, 2, 2];
          saying(0, 1, 1, 1);
        },
      ],
      [
        'one shard twice',
        () => {
          places = [1, 2];
          saying(0, 0);
        },
      ],
      [
        'two shards as one',
        () => {
          places = [1, 1];
          saying(0, 1);
        },
      ],
      [
        'only one shard',
        () => {
          places = [1];
          saying(0);
        },
      ],
      [
        'a shard too many',
        () => {
          places = [1, 2, 3];
          saying(0, 1, 2);
        },
      ],
      [
        'a replica that occurs twice',
        () => {
          places = [1, 2, 2];
          saying(0, 1);
        },
      ],
      [
        'a server of more shards',
        () => {
          places = [1, 2];
          numbers = [
            { replica: 1, shard: 0, shards: 2 },
            { replica: 2, shard: 1, shards: 3 },
          ];
        },
      ],
    ];
    for (const [what, set] of mistakes)
      it(`is wrong if the cluster has ${what}`, async () => {
        set();
        expect(await checkEveryReplica(clickhouse.db, CLUSTER).catch((error: unknown) => error)).to.include({
          code: 'shards',
          message:
            "The cluster it's in remote_servers of a:8123 does not have each shard of CLICKHOUSE_URL once, with replicas of that shard only: correct it",
        });
      });
  });
});

import { expect } from 'chai';
import { type ClickHouse, readRows, runStatement } from '#core/clickhouse';
import { type OwnCluster, ownCluster } from '../support/stack/engines/own-cluster.ts';
import { eventually } from '../support/eventually.ts';
import { describeNightly } from '../support/nightly.ts';

describeNightly('two replicas of a shard', () => {
  let cluster: OwnCluster;
  let clients: ClickHouse[];

  before(async () => {
    cluster = await ownCluster();
    clients = cluster.replicas.map((replica) => cluster.connect(replica));
    for (const client of clients)
      await runStatement(
        client,
        `create table numbers (number UInt64)
         engine = ReplicatedMergeTree('/test/{shard}/numbers', '{replica}')
         order by number
         settings replicated_deduplication_window = 100`,
      );
  });
  after(async () => {
    for (const client of clients) await client.close();
    await cluster.dispose();
  });

  it('show the rows that the other one stored', async () => {
    await insert(0, 1);

    await shows(1, [1]);
  });

  it('recognise a token that the other one stored', async () => {
    await insert(0, 2);
    await insert(1, 2);

    await shows(0, [1, 2]);
    await shows(1, [1, 2]);
  });

  it('catch up after a kill', async () => {
    await cluster.replicas[1]?.kill();
    await insert(0, 3);
    await cluster.replicas[1]?.restart();

    await shows(1, [1, 2, 3]);
    await insert(1, 4);
    await shows(0, [1, 2, 3, 4]);
  });

  /** Each number has its own token. */
  function insert(replica: number, number: number): Promise<void> {
    return runStatement(clientOf(replica), `insert into numbers values (${number})`, {
      insert_deduplication_token: `number ${number}`,
      async_insert: 0,
    });
  }

  async function shows(replica: number, numbers: readonly number[]): Promise<void> {
    const read = () =>
      readRows<{ number: string }>(clientOf(replica), 'select number from numbers order by number');
    const rows = await eventually(read, ({ length }) => length >= numbers.length);
    expect(rows.map(({ number }) => Number(number))).to.deep.equal(numbers);
  }

  function clientOf(replica: number): ClickHouse {
    const client = clients[replica];
    if (client === undefined) throw new RangeError(`there is no replica ${replica}`);
    return client;
  }
});

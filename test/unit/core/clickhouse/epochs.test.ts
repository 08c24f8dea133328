import { expect } from 'chai';
import { type ClickHouse, beginEpoch, readCurrentEpoch, readEpoch, shareEpoch } from '#core/clickhouse';
import { FlagmeterError } from '#base/runtime';
import {
  type RecordingServer,
  openReplicas,
  startRecordingServer,
} from '../../../support/servers/upstream/clickhouse-server.ts';

const TOPIC = 'counts';

describe('the epoch of a topic', () => {
  let servers: RecordingServer[];
  let all: [ClickHouse, ...ClickHouse[]];
  /** The newest epoch of each shard, or the error of each query. */
  let epochs: (number | string)[];
  /** Tables that a replica of a shard must fetch first. */
  let replicated: string[];

  beforeEach(async () => {
    replicated = [];
    servers = await Promise.all([startShard(0), startShard(1)]);
    const [first, second] = servers.map((server) => openReplicas([server]));
    all = [first as ClickHouse, second as ClickHouse]; // There are two servers.
  });
  afterEach(() => Promise.all([...all, ...servers].map((one) => one.close())));

  function startShard(index: number): Promise<RecordingServer> {
    return startRecordingServer(({ sql, rows }) => {
      if (sql.includes('system.tables')) return replicated.map((name) => ({ name }));
      if (sql.startsWith('INSERT INTO topic_epochs'))
        epochs[index] = (JSON.parse(rows) as { epoch: number }).epoch;
      const epoch = epochs[index] ?? 0;
      if (typeof epoch === 'string') return epoch;
      return sql.startsWith('select max(epoch)') ? [{ epoch }] : [];
    });
  }

  it('is the newest one that was recorded', async () => {
    epochs = [3, 0];
    expect(await readEpoch(all[0], TOPIC)).to.equal(3);
    expect(servers[0]?.statements).to.have.length(1);
    expect(servers[0]?.statements[0]?.params).to.include({ param_topic: TOPIC });
    expect(servers[0]?.statements[0]?.sql).to.equal(
      'select max(epoch) as epoch from topic_epochs where topic = {topic:String} FORMAT JSONEachRow',
    );
  });

  it('is the newest one of all shards, after each has fetched what other replicas recorded', async () => {
    epochs = [1, 2];
    replicated = ['topic_epochs'];
    expect(await readCurrentEpoch({ all }, TOPIC)).to.equal(2);
    for (const { statements } of servers) {
      expect(statements.map(({ sql }) => sql.split(' ').slice(0, 3).join(' '))).to.deep.equal([
        'select name from',
        'system sync replica',
        'select max(epoch) as',
      ]);
      expect(statements[0]?.params).to.include({ param_tables: "['topic_epochs']" });
    }
  });

  it('is that of the shards that answer', async () => {
    epochs = ['UNKNOWN_TABLE', 2];
    expect(await readCurrentEpoch({ all }, TOPIC)).to.equal(2);
  });

  it('is unknown if no shard answers', async () => {
    epochs = ['UNKNOWN_TABLE', 'UNKNOWN_DATABASE'];
    expect(await readCurrentEpoch({ all }, TOPIC).catch((error: unknown) => error)).to.include({
      type: 'UNKNOWN_TABLE',
    });
  });

  it('is not read past a mistake that a person must correct, even if the other shard answers', async () => {
    epochs = ['UNKNOWN_TABLE', 2];
    const mistake = new FlagmeterError('shards', 'the order of the shards has changed');
    const failing = (): Promise<never> => Promise.reject(mistake);
    const wrong = { ...all[0], pinned: () => ({ ...all[0], query: failing }) };
    expect(await readCurrentEpoch({ all: [...all, wrong] }, TOPIC).catch((error: unknown) => error)).to.equal(
      mistake,
    );
  });

  it('begins behind the newest one of all shards, in each of them', async () => {
    epochs = [4, 2];
    await beginEpoch({ all }, TOPIC);
    expect(epochs).to.deep.equal([5, 5]);
    const insert = servers[1]?.statements.at(-1);
    expect(insert).to.include({ rows: '{"topic":"counts","epoch":5}\n' });
    expect(insert?.params).to.include({ async_insert: '0', wait_end_of_query: '1' });
  });

  it('does not begin before each replica has fetched what others recorded, nor without a shard', async () => {
    epochs = [1, 1];
    replicated = ['topic_epochs'];
    await beginEpoch({ all }, TOPIC);
    for (const { statements } of servers) {
      expect(statements[0]?.params).to.include({ param_tables: "['topic_epochs']" });
      expect(statements[1]?.sql).to.equal('system sync replica `topic_epochs` lightweight');
    }
    epochs = [2, 'UNKNOWN_TABLE'];
    expect(await beginEpoch({ all }, TOPIC).catch(String)).to.be.a('string');
    expect(epochs[0]).to.equal(2);
  });

  it('is shared with the shards that know an older one only', async () => {
    epochs = [2, 1];
    await shareEpoch({ all }, TOPIC);
    expect(epochs).to.deep.equal([2, 2]);
    expect(
      servers.map(({ statements }) => statements.filter(({ sql }) => sql.startsWith('INSERT')).length),
    ).to.deep.equal([0, 1]);
  });
});

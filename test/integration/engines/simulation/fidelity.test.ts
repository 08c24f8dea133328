import { expect } from 'chai';
import { type ClickHouse, runStatement } from '#core/clickhouse';
import type { Block } from '#core/counting';
import { createKafka } from '#core/kafka';
import { setUp } from '#tooling/operations';
import { readTargetStatus } from '../../../../packages/core/clickhouse/blocks/markers.ts';
import { answersOfSimulated, asJson } from '../../../simulation/fidelity/answers-of-simulated.ts';
import { runClickHouseScript } from '../../../simulation/fidelity/clickhouse-script.ts';
import { runKafkaScript } from '../../../simulation/fidelity/kafka-script.ts';
import { nameColumnOf, readTotals } from '../../../simulation/fidelity/real-totals.ts';
import { deleteCountsTopic, forgetMessages } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { type OwnClickHouse, ownClickHouse } from '../../../support/stack/engines/own-engines.ts';
import { setQuota } from '../../../support/stack/engines/kafka/quota.ts';
import { eventually } from '../../../support/eventually.ts';
import { describeNightly } from '../../../support/nightly.ts';
import { type World, createWorld, sharedWorld } from '../../../support/world.ts';

/**
 * A difference is a defect of the simulation. By day, complete-block.test.ts and the stories lose, kill and complete the same on a real
 * ClickHouse.
 */
describeNightly('a simulated ClickHouse answers as a real one does', () => {
  /** At the start of an hour, so that the script stays in it. */
  const now = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  let engine: OwnClickHouse;
  let world: World;
  let real: unknown[];
  let simulated: unknown[];
  /** The parts of the killed INSERT that the real engine kept. */
  let torn: readonly string[];

  before(async () => {
    engine = await ownClickHouse();
    world = await createWorld({ ...engine.access });
    const subject = {
      db: world.clickhouse,
      totals: () => readTotals(db()),
      forgetTokens,
      loseRows,
      restart,
      killWithin,
    };
    real = asJson(await runClickHouseScript(subject, now));
    simulated = await answersOfSimulated('clickhouse', now, torn);
  });
  after(async () => {
    await engine.revive();
    await world.dispose();
    await engine.dispose();
  });

  it('in each step of a script of INSERTs, tokens, losses, kills, completions and reads', () => {
    for (const [index, answer] of real.entries()) expect(simulated[index]).to.deep.equal(answer);
    expect(real.length).to.be.above(25);
    expect(simulated.length).to.equal(real.length);
  });

  async function forgetTokens(table: string): Promise<void> {
    for (const places of [0, 20_000])
      await runStatement(
        db(),
        `alter table ${table} modify setting non_replicated_deduplication_window = ${places}`,
      );
  }

  async function loseRows(table: string, partition: number): Promise<void> {
    const own =
      table === 'blocks'
        ? `partition = ${partition}`
        : `startsWith(${nameColumnOf(table)}, 'feature-${partition}-0') or app_name = 'counts:1:${partition}'`;
    await runStatement(db(), `alter table ${table} modify setting remove_empty_parts = 0`);
    await runStatement(db(), `alter table ${table} delete where ${own}`, { mutations_sync: '2' });
  }

  async function restart(): Promise<void> {
    await engine.kill();
    await engine.restart();
  }

  /** One view sleeps, so that the kill falls within the INSERT. */
  async function killWithin(block: Block, insert: () => Promise<unknown>): Promise<void> {
    const [view] = await world.query<{ query: string }>(
      "select as_select as query from system.tables where database = currentDatabase() and name = 'impact_daily_view'",
    );
    const alter = (query: string): Promise<void> =>
      runStatement(db(), `alter table impact_daily_view modify query ${query}`);
    const query = view?.query ?? '';
    await alter(`${query} and sleepEachRow(1) = 0`);
    const outcome = Promise.allSettled([insert()]);
    await eventually(
      () => world.query("select 1 from system.processes where query like 'insert into mixed_block_rows%'"),
      ({ length }) => length > 0,
    );
    await restart();
    const [{ status }] = await outcome;
    expect(status).to.equal('rejected');
    await alter(query);
    torn = (await readTargetStatus(db(), block)).stored;
  }

  function db(): ClickHouse {
    return world.clickhouse;
  }
});

describe('simulated brokers answer as real ones do', () => {
  const world = sharedWorld();
  let real: unknown[];
  let simulated: unknown[];

  before(async () => {
    const { log, config } = world;
    const kafka = createKafka({ access: config.kafka, clientId: 'script', retries: 5, log });
    const groupId = `${config.kafka.groupPrefix}-script`;
    const { counts: topic } = config.kafka.topics;
    const forget = (before: bigint): Promise<void> => forgetMessages(world, before);
    const [address = ''] = config.kafka.brokers;
    const limit = (bytesPerSecond: number | undefined): Promise<void> =>
      setQuota({ address }, { clientId: 'script', key: 'producer_byte_rate', bytesPerSecond });
    const subject = { kafka, topic, groupId, log, forget, limit, createAgain };
    [real, simulated] = await Promise.all([runKafkaScript(subject), answersOfSimulated('kafka', Date.now())]);
  });
  after(() => world.dispose());

  it('when a member sleeps longer than its session, and commits after its successor', () => {
    expect(simulated).to.deep.equal(real);
    expect(real).to.deep.include(['the late commit of the first member', 'lost']);
  });

  it('when messages are deleted that nobody has handled, and when the topic is created again', () => {
    expect(real).to.deep.include(['a member behind a deletion handles from', '5']);
    // kafkajs forgets the commit, and its metadata with it.
    expect(real).to.deep.include(['committed when a member behind a deletion handles']);
    expect(real).to.deep.include(['a member of a new topic handles from', '0']);
  });

  it('when a producer exceeds a quota: appended first, then quiet', () => {
    expect(real).to.deep.include.members([
      ['above a quota', 'stored'],
      ['while the broker wants quiet', 'throttled'],
      ['after that', 'stored'],
      ['messages beside those above the quota', '2'],
    ]);
  });

  async function createAgain(): Promise<void> {
    await deleteCountsTopic(world);
    await setUp(world.config, world.log);
  }
});

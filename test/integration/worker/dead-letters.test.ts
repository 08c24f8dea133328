import { expect } from 'chai';
import { decodeDeadLetter, encodeRegistrations, registrationOf } from '#core/counting';
import { bytesOf } from '../../support/builders/builders.ts';
import {
  aFreshCountsValue,
  appendApplications,
  appendCounts,
  readTopic,
} from '../../support/stack/engines/kafka/kafka-log.ts';
import { untilApplicationsHandled } from '../../support/stack/engines/kafka/topics.ts';
import { runWorker } from '../../support/stories/counting.ts';
import { type World, createWorld } from '../../support/world.ts';

describe('the worker and undecodable messages', () => {
  let world: World;

  before(async () => {
    world = await createWorldOfFew();
    await runWorker(world);
  });
  after(() => world.dispose());

  it('keeps them in the dead-letter topic with their bytes and the problem, and counts the other messages', async () => {
    const foreign = Uint8Array.of(0xff, 0x00, 0xc3, 0x28);
    const future = bytesOf('{"v":99}');
    await appendCounts(world, [aFreshCountsValue('a'), foreign, aFreshCountsValue('b'), null, future]);
    const { total } = await world.settled();

    expect(total).to.deep.equal({ received: 5, counted: 2, refused: 0, duplicate: 0, dead: 3 });
    const { counts, deadLetters } = world.config.kafka.topics;
    const kept = (await readTopic(world, deadLetters)).map(decodeDeadLetter);
    const place = { topic: counts, epoch: 1, partition: 0 };
    expect(kept.map((letter) => ({ ...letter, appendedAt: 0 }))).to.deep.equal([
      { ...place, offset: 1n, value: Buffer.from(foreign), problem: 'not JSON', appendedAt: 0 },
      { ...place, offset: 3n, value: null, problem: 'no value', appendedAt: 0 },
      { ...place, offset: 4n, value: Buffer.from(future), problem: 'unknown version', appendedAt: 0 },
    ]);
    expect(kept.every((letter) => Date.now() - (letter?.appendedAt ?? 0) < 60_000)).to.equal(true);
  });

  it('keeps those of the applications topic too, and registers the other applications', async () => {
    const registration = registrationOf({ appName: 'shop' }, Date.now());
    await appendApplications(world, ['not a message', encodeRegistrations([registration])]);
    await untilApplicationsHandled(world);

    const { applications, deadLetters } = world.config.kafka.topics;
    const kept = (await readTopic(world, deadLetters))
      .map(decodeDeadLetter)
      .filter((letter) => letter?.topic === applications);
    expect(kept.map((letter) => ({ ...letter, appendedAt: 0 }))).to.deep.equal([
      {
        topic: applications,
        epoch: 0,
        partition: 0,
        offset: 0n,
        appendedAt: 0,
        value: Buffer.from('not a message'),
        problem: 'not JSON',
      },
    ]);
    const { rows } = await world.db.query('select app_name from client_applications');
    expect(rows).to.deep.equal([{ app_name: 'shop' }]);
  });
});

describe('the worker and too many undecodable messages', () => {
  let world: World;

  before(async () => {
    world = await createWorldOfFew();
  });
  after(() => world.dispose());

  it('stops with the reason, and stores none of them', async () => {
    const worker = await world.fork('worker');
    await appendCounts(
      world,
      Array.from({ length: 50 }, () => 'not a message'),
    );

    expect(await worker.expectEnd()).to.equal(1);
    const log = await worker.readLog();
    expect(log).to.include('"code":"poison"');
    expect(log).to.include('cannot be decoded: is it our topic?');
    expect((await world.accounting()).partitions).to.deep.equal([]);
    expect(await readTopic(world, world.config.kafka.topics.deadLetters)).to.deep.equal([]);
  });
});

/** A world whose worker accepts few dead letters. */
function createWorldOfFew(): Promise<World> {
  return createWorld({
    KAFKA_COUNTS_PARTITIONS: '1',
    KAFKA_APPLICATIONS_PARTITIONS: '1',
    MAX_DEAD_LETTERS: '5',
  });
}

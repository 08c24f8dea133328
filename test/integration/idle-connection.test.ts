import { createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createKafka } from '#stream';
import { type World, createWorld } from '../support/world.ts';

describe('a connection to Kafka', () => {
  let world: World;
  before(async () => {
    world = await createWorld();
  });
  after(() => world.dispose());

  it('sets no timer after timer while it is idle', async () => {
    const { config, log } = world;
    const producer = createKafka({ access: config.kafka, clientId: 'idle', retries: 0, log }).producer();
    await producer.connect();
    let timers = 0;
    const hook = createHook({
      init(_id, type) {
        if (type === 'Timeout') timers += 1;
      },
    });
    hook.enable();
    await sleep(1000);
    hook.disable();
    await producer.disconnect();
    // kafkajs alone sets one every millisecond.
    expect(timers).to.be.lessThan(20);
  });
});

import { createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createKafka } from '#core/kafka';
import { createLog, readConfig } from '#base/runtime';
import { stackEnv } from '../../../support/stack/engines/stack-addresses.ts';

describe('a connection to Kafka', () => {
  it('does not set timers repeatedly while it is idle', async () => {
    const { kafka } = readConfig(stackEnv());
    const log = createLog('test', 'fatal');
    const producer = createKafka({ access: kafka, clientId: 'idle', retries: 0, log }).producer();
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

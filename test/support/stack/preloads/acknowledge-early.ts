import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '#base/runtime';
import { patchSends, say } from './patches.ts';

const DELAY_MS = 1000;

/** Breaks the rule "acknowledge after Kafka": answers the send at once, and sends a second later. */
patchSends((record, send) => {
  say('acknowledged before Kafka');
  const sendLater = async (): Promise<void> => {
    await sleep(DELAY_MS);
    await send(record);
  };
  inBackground(sendLater());
  const [{ partition } = { partition: 0 }] = record.messages;
  return Promise.resolve([{ topicName: record.topic, partition, errorCode: 0, baseOffset: '0' }]);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { patchSends, say } from './patches.ts';

const DELAY_MS = 1000;

/** Acknowledged before Kafka has it: the send is answered at once, and made a second later. */
patchSends((record, send) => {
  say('acknowledged before Kafka');
  void sleep(DELAY_MS).then(() => send(record));
  const [{ partition } = { partition: 0 }] = record.messages;
  return Promise.resolve([{ topicName: record.topic, partition, errorCode: 0, baseOffset: '0' }]);
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Kafka, Producer, ProducerRecord, RecordMetadata } from 'kafkajs';
import { createMessageProducer } from '#core/kafka';
import { RecordGroup } from '../../../../../packages/core/kafka/producing/record-group.ts';

const STORED: RecordMetadata = { topicName: 'topic', partition: 0, errorCode: 0, baseOffset: '7' };

describe('a producer of messages', () => {
  it('reports "not stored" for failures before kafkajs has encoded the request', async () => {
    const { producer } = aProducer({
      send: () => Promise.reject(new Error('The producer is disconnecting')),
    });
    expect(await sendTo(producer)).to.deep.include({ outcome: 'not-stored' });
  });

  it('says "unknown" of whatever fails afterwards, unless Kafka rejects it', async () => {
    const lost = aProducer({
      send: (record) => {
        encode(record);
        return Promise.reject(new Error('Closed connection'));
      },
    });
    const rejected = aProducer({
      send: (record) => {
        encode(record);
        return Promise.reject(Object.assign(new Error('rejected'), { type: 'NOT_ENOUGH_REPLICAS' }));
      },
    });
    expect(await sendTo(lost.producer)).to.deep.include({ outcome: 'unknown' });
    expect(await sendTo(rejected.producer)).to.deep.include({ outcome: 'not-stored' });
  });

  it('reports "too large" for a message that the topic does not accept', async () => {
    for (const type of ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']) {
      const { producer } = aProducer({
        send: () => Promise.reject(Object.assign(new Error('rejected'), { type })),
      });
      expect(await sendTo(producer)).to.deep.equal({ outcome: 'too-large', reason: type });
    }
  });

  it('reports "not stored" for a success without a partition, if kafkajs has encoded nothing', async () => {
    const silent = aProducer({ send: () => Promise.resolve([]) });
    const lost = aProducer({
      send: (record) => {
        encode(record);
        return Promise.resolve([]);
      },
    });
    expect(await sendTo(silent.producer)).to.deep.include({ outcome: 'not-stored' });
    expect(await sendTo(lost.producer)).to.deep.include({ outcome: 'unknown' });
  });

  it('reports "stored" if the answer names the topic and the partition, without an error, with an offset', async () => {
    for (const baseOffset of ['0', '7', '1234567890']) {
      expect(await sendTo(anAnswer([{ ...STORED, baseOffset }]))).to.include({ outcome: 'stored' });
    }
  });

  it('reports when the broker appended the messages, if the broker sets their time', async () => {
    const outcomeOf = (logAppendTime: string) => sendTo(anAnswer([{ ...STORED, logAppendTime }]));
    expect(await outcomeOf('1700000000000')).to.deep.equal({
      outcome: 'stored',
      appendedAt: 1_700_000_000_000,
    });
    expect(await outcomeOf('-1')).to.deep.equal({ outcome: 'stored', appendedAt: undefined });
  });

  for (const [title, answers] of [
    ['another topic', [{ ...STORED, topicName: 'another' }]],
    ['another partition', [{ ...STORED, partition: 1 }]],
    ['an error', [{ ...STORED, errorCode: 1 }]],
    ['no offset', [{ topicName: 'topic', partition: 0, errorCode: 0 }]],
    ['an offset before the first', [{ ...STORED, baseOffset: '-1' }]],
    ['two partitions', [STORED, STORED]],
  ] as const) {
    it(`reports "unknown" for a success that names ${title}`, async () => {
      const reason = 'the answer does not name the partition';
      expect(await sendTo(anAnswer([...answers]))).to.deep.equal({ outcome: 'unknown', reason });
    });
  }

  it('sends all messages to one partition in one record batch, with acks=all', async () => {
    const records: ProducerRecord[] = [];
    const { producer } = aProducer({
      send: (record) => {
        records.push(record);
        return Promise.resolve([{ ...STORED, partition: 3 }]);
      },
    });
    await producer.send('topic', 3, [{ value: 'one', key: 'key', headers: { a: 'b' } }, { value: null }]);

    expect(records.map(({ topic, acks, messages }) => [topic, acks, messages.length])).to.deep.equal([
      ['topic', -1, 1],
    ]);
    const [message] = records[0]?.messages ?? [];
    expect(message?.partition).to.equal(3);
    expect(message).to.be.instanceOf(RecordGroup);
    expect(() => message?.headers).to.throw('kafkajs encodes a group');
  });

  for (const [outcome, types] of [
    ['not-stored', ['NOT_ENOUGH_REPLICAS', 'INVALID_RECORD', 'INVALID_TIMESTAMP']],
    [
      'unknown',
      [
        // DelayedProduce completes a send that was appended with these.
        'NOT_LEADER_FOR_PARTITION',
        'UNKNOWN_TOPIC_OR_PARTITION',
        'KAFKA_STORAGE_ERROR',
        'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
        'REQUEST_TIMED_OUT',
        // The broker reads its log after the append.
        'CORRUPT_MESSAGE',
        'OFFSET_OUT_OF_RANGE',
        'UNKNOWN',
        // Other requests get these, or no send of ours.
        'LEADER_NOT_AVAILABLE',
        'TOPIC_AUTHORIZATION_FAILED',
        'FENCED_LEADER_EPOCH',
        'INVALID_REQUIRED_ACKS',
        'POLICY_VIOLATION',
      ],
    ],
  ] as const) {
    for (const type of types) {
      it(`reports "${outcome}" for a request that Kafka answers with ${type}`, async () => {
        const { producer } = aProducer({
          send: (record) => {
            encode(record);
            return Promise.reject(Object.assign(new Error('rejected'), { type }));
          },
        });
        expect(await sendTo(producer)).to.deep.equal({ outcome, reason: type });
      });
    }
  }

  it('drops a half-open connection once, however many sends fail on it', async () => {
    const gates: (() => void)[] = [];
    const { producer, calls } = aProducer({
      send: (_, { connections }) =>
        connections === 1 ? Promise.reject(halfOpen()) : Promise.resolve([STORED]),
      disconnect: () => new Promise((resolve) => gates.push(resolve)),
    });
    const first = [sendTo(producer), sendTo(producer)];
    await nextTurn();
    for (const goOn of gates) goOn();
    await Promise.all(first);
    await sendTo(producer);
    await sendTo(producer);
    expect(calls).to.deep.equal(['connect', 'disconnect', 'connect']);
  });

  it('keeps the new connection if a send over the old one fails late', async () => {
    const failures: ((error: Error) => void)[] = [];
    const { producer, calls } = aProducer({
      send: (_, { connections }) =>
        connections === 1
          ? new Promise((_resolve, reject) => failures.push(reject))
          : Promise.resolve([STORED]),
    });
    const early = sendTo(producer);
    const late = sendTo(producer);
    await nextTurn();
    failures[0]?.(halfOpen());
    await early;
    const next = sendTo(producer);
    await nextTurn();
    failures[1]?.(halfOpen());
    await late;
    await next;
    await sendTo(producer);
    expect(calls).to.deep.equal(['connect', 'disconnect', 'connect']);
  });

  it('keeps the connection if a send fails for another reason', async () => {
    const { producer, calls } = aProducer({ send: () => Promise.reject(new Error('Closed connection')) });
    await sendTo(producer);
    await sendTo(producer);
    expect(calls).to.deep.equal(['connect']);
  });

  it('disconnects on request', async () => {
    const { producer, calls } = aProducer({ send: () => Promise.resolve([STORED]) });
    await sendTo(producer);
    await producer.disconnect();
    expect(calls).to.deep.equal(['connect', 'disconnect']);
  });

  it('connects again after a failed disconnection', async () => {
    const { producer, calls } = aProducer({
      send: (_, { connections }) =>
        connections === 1 ? Promise.reject(halfOpen()) : Promise.resolve([STORED]),
      disconnect: () => Promise.reject(new Error('of the socket')),
    });
    expect(await sendTo(producer)).to.deep.include({ outcome: 'not-stored' });
    await sendTo(producer);
    expect(calls).to.deep.equal(['connect', 'disconnect', 'connect']);
  });

  it('retries after a failed connection attempt', async () => {
    const { producer, calls } = aProducer({
      connect: ({ connections }) =>
        connections === 1 ? Promise.reject(new Error('nobody listens')) : Promise.resolve(),
      send: () => Promise.resolve([STORED]),
    });
    const both = await Promise.all([sendTo(producer), sendTo(producer)]);
    expect(both.map(({ outcome }) => outcome)).to.deep.equal(['not-stored', 'not-stored']);
    await sendTo(producer);
    expect(calls).to.deep.equal(['connect', 'disconnect', 'connect']);
  });
});

type Script = {
  readonly send: (record: ProducerRecord, state: { connections: number }) => Promise<RecordMetadata[]>;
  readonly connect?: (state: { connections: number }) => Promise<void>;
  readonly disconnect?: () => Promise<void>;
};

/** Our producer around a kafkajs producer that follows the script. */
function aProducer({ send, connect, disconnect }: Script) {
  const calls: string[] = [];
  const state = { connections: 0 };
  const scripted: Pick<Producer, 'connect' | 'disconnect' | 'send'> = {
    async connect() {
      calls.push('connect');
      state.connections += 1;
      await connect?.(state);
    },
    async disconnect() {
      calls.push('disconnect');
      await disconnect?.();
    },
    send: (record) => send(record, state),
  };
  const kafka: Pick<Kafka, 'producer'> = { producer: () => scripted as Producer };
  return { producer: createMessageProducer(kafka), calls };
}

/** A producer whose requests are written and get this answer. */
function anAnswer(answers: RecordMetadata[]) {
  const { producer } = aProducer({
    send: (record) => {
      encode(record);
      return Promise.resolve(answers);
    },
  });
  return producer;
}

function sendTo(producer: ReturnType<typeof createMessageProducer>) {
  return producer.send('topic', 0, [{ value: 'message' }]);
}

/** What our encoder does right before kafkajs writes the request. */
function encode({ messages }: ProducerRecord): void {
  for (const message of messages) if (message instanceof RecordGroup) message.encode();
}

function halfOpen(): Error {
  return new Error('Broker not connected');
}

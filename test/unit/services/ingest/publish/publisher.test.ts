import { expect } from 'chai';
import { type Sender, keyOfSender } from '#core/counting';
import type { SendOutcome } from '#core/kafka';
import { type Publisher, createPublisher } from '../../../../../services/ingest/publish/publisher.ts';
import { passTimeByTurns } from '../../../../support/clock/by-turns.ts';
import { eventually } from '../../../../support/eventually.ts';

const REJECTED: SendOutcome = { outcome: 'not-stored', reason: 'NOT_ENOUGH_REPLICAS' };
const STORED: SendOutcome = { outcome: 'stored' };
const SENDER: Sender = { name: 'sender', kind: 'key' };
const SENDERS = Array.from({ length: 20 }, (_, index) => ({ ...SENDER, name: `sender ${index}` }));

describe('a publisher', () => {
  passTimeByTurns();
  let publisher: Publisher;

  afterEach(() => {
    publisher.stop();
  });

  it('stores the applications of a batch before its counts', async () => {
    const { sends } = start(() => STORED);
    expect(await publish({ applications: 'apps', counts: 'counts' })).to.equal('stored');
    expect(sends.map(({ topic, values }) => [topic, ...values])).to.deep.equal([
      ['applications', 'apps'],
      ['counts', 'counts'],
    ]);
  });

  it('sends no counts when the applications were not stored', async () => {
    const { sends } = start((topic) => (topic === 'applications' ? REJECTED : STORED));
    expect(await publish({ applications: 'apps', counts: 'counts' })).to.equal('not-stored');
    expect(sends.map(({ topic }) => topic)).not.to.include('counts');
  });

  it('reports a batch without metrics and applications as stored', async () => {
    const { sends } = start(() => STORED);
    expect(await publish({})).to.equal('stored');
    expect(sends).to.deep.equal([]);
  });

  it('sends batches of one sender to one partition, and spreads senders', async () => {
    const { sends } = start(() => STORED);
    const partitionsOf = async (sender: string): Promise<Set<number>> => {
      const before = sends.length;
      for (const counts of ['a', 'b', 'c']) await publish({ sender, counts });
      return new Set(sends.slice(before).map(({ partition }) => partition));
    };
    const partitions = [];
    for (const sender of SENDERS) partitions.push(...(await partitionsOf(keyOfSender(sender.name))));
    expect(partitions).to.have.length(20);
    expect(new Set(partitions).size).to.equal(2);
  });

  it('sends points of counters that add up to the first partition, whoever sends them', async () => {
    const { sends } = start(() => STORED);
    const senders = [undefined, ...Array.from({ length: 10 }, (_, sender) => `sender ${sender}`)];
    await Promise.all(senders.map((sender) => publish({ sender, counts: 'points', hasPoints: true })));
    expect(new Set(sends.map(({ partition }) => partition))).to.deep.equal(new Set([0]));
  });

  it('sends small batches without a sender to one partition, so that sends are few', async () => {
    const { sends, hold } = start(() => STORED);
    const goOn = hold();
    const outcomes = ['ten bytes.', 'five.', 'five2'].map((counts) => publish({ counts, sender: undefined }));
    expect(publisher.bytes()).to.equal(20);
    goOn();
    await Promise.all(outcomes);
    expect(publisher.bytes()).to.equal(0);
    expect(new Set(sends.map(({ partition }) => partition)).size).to.equal(1);
    expect(sends.flatMap(({ values }) => values)).to.deep.equal(['ten bytes.', 'five.', 'five2']);
  });

  it('sends batches without a sender to the next partition from 32 KiB on, then to the one with the fewest bytes', async () => {
    const { sends, hold } = start(() => STORED);
    const goOn = hold();
    const [first = '', ...others] = [40, 33, 1, 1].map((kib) => '.'.repeat(1024 * kib));
    const outcomes = [first, ...others].map((counts) => publish({ counts, sender: undefined }));
    goOn();
    await Promise.all(outcomes);
    const sentTo = (partition: number | undefined) =>
      sends.filter((send) => send.partition === partition).flatMap(({ values }) => values.map(String));
    const beginning = sends.find(({ values }) => values.map(String).includes(first))?.partition;
    expect(sentTo(beginning)).to.deep.equal([first]);
    expect(sentTo(beginning === 0 ? 1 : 0)).to.deep.equal(others);
  });

  it('sends a batch again if its first try has ended', async () => {
    const { sends } = start(() => STORED);
    for (const counts of ['first', 'again']) await publish({ batchId: 'same', counts });
    expect(sends.map(({ values }) => values)).to.deep.equal([['first'], ['again']]);
  });

  it('reports since when sends fail, until one is stored', async () => {
    let outcome: SendOutcome = REJECTED;
    start(() => outcome);
    expect(publisher.failingSince()).to.equal(undefined);
    const before = Date.now();
    await publish({ counts: 'a' });
    const since = publisher.failingSince();
    expect(since).to.be.within(before, Date.now());
    expect(publisher.openPartitions()).to.deep.equal([
      { topic: 'counts', partitions: 1 },
      { topic: 'applications', partitions: 0 },
    ]);
    outcome = STORED;
    await eventually(
      () => Promise.resolve(publisher.failingSince()),
      (failing) => failing === undefined,
    );
  });

  it('does not treat a message that is too large as a failure of Kafka', async () => {
    start(() => ({ outcome: 'too-large', reason: 'MESSAGE_TOO_LARGE' }));
    expect(await publish({ counts: 'large' })).to.equal('not-stored');
    expect(publisher.failingSince()).to.equal(undefined);
  });

  it('reports the outcome of each send', async () => {
    const { reports } = start((topic) => (topic === 'counts' ? REJECTED : STORED));
    await publish({ applications: 'apps', counts: 'counts' });
    expect(reports[0]).to.deep.equal(['applications', 'stored', '']);
    expect(reports[1]).to.deep.equal(['counts', 'not-stored', 'NOT_ENOUGH_REPLICAS']);
  });

  it('flush waits until every message has its outcome', async () => {
    const { hold } = start(() => STORED);
    const goOn = hold();
    const ended: string[] = [];
    const note = async (name: string, work: Promise<unknown>): Promise<void> => {
      await work;
      ended.push(name);
    };
    const both = [note('publish', publish({ counts: 'a' })), note('flush', publisher.flush())];
    expect(ended).to.deep.equal([]);
    goOn();
    await Promise.all(both);
    expect(ended).to.deep.equal(['publish', 'flush']);
  });

  it('rejects nobody while no breaker is open', () => {
    start(() => STORED);
    expect([publisher.isRejecting(SENDER), publisher.isRejecting(undefined)]).to.deep.equal([false, false]);
  });

  it('rejects only the senders whose breaker is open', async () => {
    start((topic, partition) => (partition === 0 ? REJECTED : STORED));
    const outcomes = await Promise.all(
      SENDERS.map(({ name }) => publish({ sender: keyOfSender(name), counts: name })),
    );
    expect(new Set(outcomes)).to.deep.equal(new Set(['stored', 'not-stored']));
    expect(SENDERS.map((sender) => publisher.isRejecting(sender))).to.deep.equal(
      outcomes.map((outcome) => outcome === 'not-stored'),
    );
    expect(publisher.isRejecting(undefined)).to.equal(false);
    expect(await publish({ sender: undefined, counts: 'finds the partition that is not open' })).to.equal(
      'stored',
    );
  });

  type Send = { topic: string; partition: number; values: unknown[] };

  /** A publisher with two partitions per topic. Its sends have these outcomes. */
  function start(outcomeOf: (topic: string, partition: number) => SendOutcome) {
    const sends: Send[] = [];
    const reports: string[][] = [];
    let held = Promise.resolve();
    publisher = createPublisher({
      producer: {
        async send(topic, partition, messages) {
          // After a rejection it continues to probe.
          const values = messages.map(({ value }) => value).filter(isOurs);
          if (values.length > 0) sends.push({ topic, partition, values: values.map(String) });
          await held;
          return outcomeOf(topic, partition);
        },
      },
      counts: { topic: 'counts', partitions: 2 },
      applications: { topic: 'applications', partitions: 2 },
      rideOutMs: 50,
      expiryMs: 1000,
      repeatedMs: 45_000,
      onSend: (topic, outcome, reason) => reports.push([topic, outcome, reason]),
      onBreaker: () => undefined,
    });
    const hold = (): (() => void) => {
      let goOn = (): void => undefined;
      held = new Promise((resolve) => (goOn = resolve));
      return goOn;
    };
    return { sends, reports, hold };
  }

  function isOurs(value: unknown): boolean {
    return String(value).length < 60 || String(value).startsWith('.');
  }

  let batches = 0;
  function publish(
    parts: Partial<{
      batchId: string;
      sender: string | undefined;
      applications: string;
      counts: string;
      hasPoints: boolean;
    }>,
  ): Promise<string> {
    const { batchId = `batch ${(batches += 1)}`, applications, counts, hasPoints } = parts;
    const sender = 'sender' in parts ? parts.sender : keyOfSender(SENDER.name);
    return publisher.publish({
      batchId,
      sender,
      applications,
      counts: counts === undefined ? undefined : Buffer.from(counts),
      ...(hasPoints === undefined ? {} : { hasPoints }),
    });
  }
});

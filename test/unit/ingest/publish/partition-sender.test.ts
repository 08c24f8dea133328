import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import type { SendOutcome } from '#kafka';
import { inBackground } from '#runtime';
import { PartitionSender } from '../../../../services/ingest/publish/partition-sender.ts';
import { eventually } from '../../../support/eventually.ts';

const STORED: SendOutcome = { outcome: 'stored' };
const REJECTED: SendOutcome = { outcome: 'not-stored', reason: 'NOT_ENOUGH_REPLICAS' };
const LOST: SendOutcome = { outcome: 'unknown', reason: 'KafkaJSRequestTimeoutError' };
const TOO_LARGE: SendOutcome = { outcome: 'too-large', reason: 'MESSAGE_TOO_LARGE' };
const PROBE = 'probe';

describe('PartitionSender', () => {
  // A sender that still fails at the end of a test would keep probing.
  afterEach(() => {
    for (const sender of started.splice(0)) sender.stop();
  });

  it('sends messages together if they arrive together', async () => {
    const { sender, sends } = aSender([STORED]);
    const first = [sender.submit('a'), sender.submit('b')];
    await nextTick();
    await Promise.all([...first, sender.submit('c')]);
    expect(sends).to.deep.equal([['a', 'b', 'c']]);
  });

  it('sends at most 500 messages together', async () => {
    const { sender, sends } = aSender([STORED]);
    await Promise.all(Array.from({ length: 1001 }, (_, i) => sender.submit(`${i}`)));
    expect(sends.map((values) => values.length)).to.deep.equal([500, 500, 1]);
  });

  it('sends at most 256 KiB together, and a larger message alone', async () => {
    const { sender, sends } = aSender([STORED]);
    const sizes = [128, 128, 256, 1, 300, 1];
    await Promise.all(sizes.map((kib) => sender.submit('.'.repeat(1024 * kib))));
    const sent = sends.map((values) => values.map((value) => String(value).length / 1024));
    expect(sent).to.deep.equal([[128, 128], [256], [1], [300], [1]]);
  });

  it('reports the outcome of each send, with the reason', async () => {
    const { sender, reports } = aSender([LOST, REJECTED, STORED], { expiryMs: 60_000 });
    await sender.submit('a');
    expect(reports).to.deep.equal([
      ['unknown', 'KafkaJSRequestTimeoutError'],
      ['not-stored', 'NOT_ENOUGH_REPLICAS'],
      ['stored', ''],
    ]);
  });

  it('does not wait while messages keep arriving', async () => {
    const { sender, sends } = aSender([STORED]);
    const submitted: unknown[] = [];
    for (let turn = 0; turn < 100 && sends.length === 0; turn += 1) {
      submitted.push(sender.submit(`message ${turn}`));
      await nextTick();
    }
    expect(sends).to.have.length(1);
  });

  it('collects messages while it sends', async () => {
    const { sender, sends, hold } = aSender([STORED]);
    const goOn = hold();
    const first = sender.submit('a');
    await untilSent(sends);
    const others = [sender.submit('b'), sender.submit('c')];
    goOn();
    await Promise.all([first, ...others]);
    expect(sends).to.deep.equal([['a'], ['b', 'c']]);
  });

  it('sends a message that arrives at any moment while it becomes idle', async () => {
    for (let depth = 0; depth < 20; depth += 1) {
      const { sender } = aSender([STORED]);
      let outcome = 'none';
      const first = sender.submit('first');
      await afterMicrotasks(first, depth);
      const submitSecond = async (): Promise<void> => {
        outcome = await sender.submit('second');
      };
      inBackground(submitSecond());
      for (let turn = 0; turn < 5; turn += 1) await nextTick();
      expect(outcome).to.equal('stored', `submitted ${depth} microtasks after the first was stored`);
    }
  });

  it('retries a rejected message', async () => {
    const { sender, sends } = aSender([REJECTED, STORED]);
    expect(await sender.submit('a')).to.equal('stored');
    expect(sends).to.deep.equal([['a'], ['a']]);
  });

  it('gives up with "not stored" if rejections continue', async () => {
    const { sender } = aSender([REJECTED]);
    expect(await sender.submit('a')).to.equal('not-stored');
  });

  it('gives up when the circuit breaker opens, long before a message expires', async () => {
    const { sender } = aSender([REJECTED], { expiryMs: 60_000 });
    expect(await sender.submit('a')).to.equal('not-stored');
  });

  it('keeps a message of unknown outcome when the circuit breaker opens, but not those behind it', async () => {
    let triesWhileOpen = 0;
    const { sender, sends } = aSender(
      () => {
        if (sends.length === 1) return LOST;
        if (sender.isOpen) triesWhileOpen += 1;
        return triesWhileOpen < 3 ? REJECTED : STORED;
      },
      { expiryMs: 60_000 },
    );
    expect(await submitApart(sender, sends)).to.deep.equal(['stored', 'not-stored']);
  });

  it('never reports "not stored" for a message whose outcome was once unknown', async () => {
    const { sender } = aSender([LOST, REJECTED]);
    expect(await sender.submit('a')).to.equal('unknown');
  });

  it('reports "stored" for a message of unknown outcome that a later try stored', async () => {
    const { sender } = aSender([LOST, REJECTED, STORED]);
    expect(await sender.submit('a')).to.equal('stored');
  });

  it('keeps messages behind one of unknown outcome waiting', async () => {
    const { sender, sends } = aSender([LOST, LOST, STORED]);
    expect(await submitApart(sender, sends)).to.deep.equal(['stored', 'stored']);
  });

  it('retries a rejection that follows a long unknown outcome, also for the messages that waited behind it', async () => {
    const { sender, sends } = aSender([LOST, LOST, LOST, REJECTED, STORED], { expiryMs: 5000 });
    expect(await submitApart(sender, sends)).to.deep.equal(['stored', 'stored']);
  });

  it('rejects at once after it has given up', async () => {
    const { sender, sends } = aSender([REJECTED]);
    await sender.submit('a');
    const tried = sends.length;
    expect(sender.isOpen).to.equal(true);
    expect(await sender.submit('b')).to.equal('not-stored');
    expect(sends.length).to.equal(tried);
  });

  it('continues with single probes, and accepts messages again when one is stored', async () => {
    const { sender, sends, repair } = aSender([REJECTED]);
    await sender.submit('a');
    await eventually(
      () => Promise.resolve(sends.length),
      (count) => count > 8,
    );
    repair();
    await eventually(
      () => Promise.resolve(sender.isOpen),
      (isOpen) => !isOpen,
    );
    expect(await sender.submit('b')).to.equal('stored');
    const probes = sends.slice(
      sends.findIndex(([value]) => value === PROBE),
      -1,
    );
    expect(probes).to.deep.equal(probes.map(() => [PROBE]));
    expect(sends.at(-1)).to.deep.equal(['b']);
  });

  it('does not reject while outcomes are unknown, however long', async () => {
    const { sender, sends } = aSender([LOST]);
    expect(await sender.submit('a')).to.equal('unknown');
    await eventually(
      () => Promise.resolve(sends),
      (all) => all.some(([value]) => value === PROBE),
    );
    expect(sender.isOpen).to.equal(false);
  });

  it('accepts messages again as soon as an unknown outcome follows a rejection', async () => {
    const { sender, sends } = aSender([...Array.from({ length: 7 }, () => REJECTED), LOST, STORED]);
    await sender.submit('a');
    await eventually(
      () => Promise.resolve(sends.length),
      (count) => count >= 8,
    );
    expect(await sender.submit('b')).to.equal('stored');
  });

  it('rejects only the message that is too large, at once, and stores the others in their order', async () => {
    const stored: unknown[] = [];
    const { sender, sends } = aSender((values) => {
      if (values.length > 3 || values.includes('large')) return TOO_LARGE;
      stored.push(...values);
      return STORED;
    });
    const values = ['a', 'b', 'c', 'large', 'd', 'e', 'large', 'f', 'g', 'h', 'i', 'j'];
    const outcomes = await Promise.all(values.map((value) => sender.submit(value)));

    expect(outcomes).to.deep.equal(values.map((value) => (value === 'large' ? 'not-stored' : 'stored')));
    expect(stored).to.deep.equal(values.filter((value) => value !== 'large'));
    expect(sends.flat()).not.to.include(PROBE);
    expect(sender.bytes).to.equal(0);
  });

  it('does not treat a message that is too large as trouble of the broker', async () => {
    const { sender, sends } = aSender((values) => (values.includes('large') ? TOO_LARGE : STORED));
    const values = [...Array.from({ length: 20 }, () => 'large'), 'a'];
    for (const value of values)
      expect(await sender.submit(value)).to.equal(value === 'a' ? 'stored' : 'not-stored');
    expect(sender.isOpen).to.equal(false);
    expect(sends).to.deep.equal(values.map((value) => [value]));
  });

  it('never reports "not stored" for a message found too large after an unknown outcome', async () => {
    const { sender } = aSender([LOST, TOO_LARGE]);
    expect(await sender.submit('a')).to.equal('unknown');
  });

  it('stops without reporting "not stored" for messages in flight', async () => {
    const { sender, sends } = aSender([LOST], { expiryMs: 60_000 });
    const first = sender.submit('under way');
    await untilSent(sends);
    const outcomes = [first, sender.submit('waiting')];
    sender.stop();
    expect(await Promise.all(outcomes)).to.deep.equal(['unknown', 'not-stored']);
    expect(await sender.submit('late')).to.equal('not-stored');
    expect(sends).to.deep.equal([['under way']]);
  });

  it('sends nothing if it is stopped before', async () => {
    const { sender, sends } = aSender([STORED]);
    const submitted = sender.submit('a');
    sender.stop();
    expect(await submitted).to.equal('not-stored');
    for (let turn = 0; turn < 5; turn += 1) await nextTick();
    expect(sends).to.deep.equal([]);
  });

  it('holds no bytes when every message has its outcome', async () => {
    const { sender } = aSender([STORED]);
    const submitted = [sender.submit('four'), sender.submit('four')];
    expect(sender.bytes).to.equal(8);
    await Promise.all(submitted);
    expect(sender.bytes).to.equal(0);
  });
});

const started: PartitionSender[] = [];

/**
 * A partition sender whose sends have these outcomes in turn, and the last one always after that. Or a function
 * returns the outcome for the values.
 */
function aSender(
  outcomes: readonly SendOutcome[] | ((values: readonly unknown[]) => SendOutcome),
  { expiryMs = 400 } = {},
) {
  const sends: unknown[][] = [];
  const reports: string[][] = [];
  let isRepaired = false;
  let held = Promise.resolve();
  const sender = new PartitionSender({
    producer: {
      async send(_topic, _partition, messages) {
        const values = messages.map(({ value }) => value);
        sends.push(values);
        const outcome =
          typeof outcomes === 'function'
            ? outcomes(values)
            : (outcomes[Math.min(sends.length, outcomes.length) - 1] ?? STORED);
        await held;
        return isRepaired ? STORED : outcome;
      },
    },
    topic: 'counts',
    partition: 0,
    rideOutMs: 100,
    expiryMs,
    probe: () => PROBE,
    onSend: (outcome, reason) => reports.push([outcome, reason]),
  });
  started.push(sender);
  /** Delays the end of every send until the returned function is called. */
  const hold = (): (() => void) => {
    let goOn = (): void => undefined;
    held = new Promise((resolve) => (goOn = resolve));
    return goOn;
  };
  return { sender, sends, reports, repair: () => (isRepaired = true), hold };
}

async function untilSent(sends: readonly unknown[]): Promise<void> {
  while (sends.length === 0) await nextTick();
}

/** Two messages, the second while the first is being sent. */
async function submitApart(sender: PartitionSender, sends: readonly unknown[]): Promise<string[]> {
  const first = sender.submit('a');
  await untilSent(sends);
  return Promise.all([first, sender.submit('b')]);
}

async function afterMicrotasks(work: Promise<unknown>, count: number): Promise<void> {
  await work;
  for (let i = 0; i < count; i += 1) await Promise.resolve();
}

import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import { inBackground } from '#base/runtime';
import { passTimeByTurns } from '../../../../support/clock/by-turns.ts';
import {
  LOST,
  PROBE,
  REJECTED,
  STORED,
  TOO_LARGE,
  aSender,
  stopSenders,
  submitApart,
  untilSent,
} from '../../../../support/builders/partition-sender.ts';

describe('PartitionSender', () => {
  passTimeByTurns();
  afterEach(stopSenders);

  it('sends messages together if they arrive together', async () => {
    const { sender, sends } = aSender([STORED]);
    const first = [sender.submit('a'), sender.submit('b')];
    await nextTick();
    await Promise.all([...first, sender.submit('c')]);
    expect(sends).to.deep.equal([['a', 'b', 'c']]);
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
    let arrived = 0;
    const arrive = (): void => {
      inBackground(sender.submit(`message ${(arrived += 1)}`));
      if (sends.length === 0 && arrived < 100) setImmediate(arrive);
    };
    setImmediate(arrive); // before each look of the sender
    await sender.submit('first');
    expect(sends[0]).to.deep.equal(['first', ...[1, 2, 3, 4].map((count) => `message ${count}`)]);
  });

  it('does not wait if none arrives', async () => {
    const { sender, sends } = aSender([STORED]);
    inBackground(sender.submit('a'));
    await nextTick();
    await nextTick();
    expect(sends).to.deep.equal([['a']]);
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

async function afterMicrotasks(work: Promise<unknown>, count: number): Promise<void> {
  await work;
  for (let i = 0; i < count; i += 1) await Promise.resolve();
}

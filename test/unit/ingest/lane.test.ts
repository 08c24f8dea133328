import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import type { SendOutcome } from '#stream';
import { Lane } from '../../../services/ingest/lane.ts';

const STORED: SendOutcome = { outcome: 'stored' };
const REFUSED: SendOutcome = { outcome: 'not-stored', reason: 'NOT_ENOUGH_REPLICAS' };
const LOST: SendOutcome = { outcome: 'unknown', reason: 'KafkaJSRequestTimeoutError' };

describe('Lane', () => {
  it('sends at once when it is idle, and gathers what arrives meanwhile', async () => {
    const { lane, sends } = aLane([STORED]);
    await Promise.all(['a', 'b', 'c'].map((value) => lane.submit(value)));
    expect(sends).to.deep.equal([['a'], ['b', 'c']]);
  });

  it('sends a message that comes at any moment while it falls idle', async () => {
    for (let depth = 0; depth < 20; depth += 1) {
      const { lane } = aLane([STORED]);
      let outcome = 'none';
      const first = lane.submit('first');
      await afterMicrotasks(first, depth);
      void lane.submit('second').then((settled) => (outcome = settled));
      await nextTick();
      expect(outcome).to.equal('stored', `submitted ${depth} microtasks after the first was stored`);
    }
  });

  it('rides out a refusal', async () => {
    const { lane, sends } = aLane([REFUSED, STORED]);
    expect(await lane.submit('a')).to.equal('stored');
    expect(sends).to.deep.equal([['a'], ['a']]);
  });

  it('gives up with "not stored" when the refusals go on', async () => {
    const { lane } = aLane([REFUSED]);
    expect(await lane.submit('a')).to.equal('not-stored');
  });

  it('never says "not stored" of a message that was once in doubt', async () => {
    const { lane } = aLane([LOST, REFUSED]);
    expect(await lane.submit('a')).to.equal('unknown');
  });

  it('says "stored" of a message in doubt that a later try stored', async () => {
    const { lane } = aLane([LOST, REFUSED, STORED]);
    expect(await lane.submit('a')).to.equal('stored');
  });

  it('keeps what waits behind a message in doubt', async () => {
    const { lane } = aLane([LOST, LOST, STORED]);
    expect(await Promise.all([lane.submit('a'), lane.submit('b')])).to.deep.equal(['stored', 'stored']);
  });

  it('rides out a refusal that follows a long doubt, also for what waited behind it', async () => {
    const { lane } = aLane([LOST, LOST, LOST, REFUSED, STORED], { expiryMs: 5000 });
    expect(await Promise.all([lane.submit('a'), lane.submit('b')])).to.deep.equal(['stored', 'stored']);
  });

  it('holds no bytes when everything is settled', async () => {
    const { lane } = aLane([STORED]);
    const submitted = [lane.submit('four'), lane.submit('four')];
    expect(lane.bytes).to.equal(8);
    await Promise.all(submitted);
    expect(lane.bytes).to.equal(0);
  });
});

/** A lane whose sends end like this, one after the other; the last outcome goes on for ever. */
function aLane(
  outcomes: readonly [SendOutcome, ...SendOutcome[]],
  { expiryMs = 400 } = {},
): { lane: Lane; sends: unknown[] } {
  const sends: unknown[] = [];
  const lane = new Lane({
    producer: {
      send: (_topic, _partition, messages) => {
        sends.push(messages.map(({ value }) => value));
        return Promise.resolve(outcomes[Math.min(sends.length, outcomes.length) - 1] ?? outcomes[0]);
      },
    },
    topic: 'counts',
    partition: 0,
    rideOutMs: 100,
    expiryMs,
    onSend: () => undefined,
  });
  return { lane, sends };
}

async function afterMicrotasks(work: Promise<unknown>, count: number): Promise<void> {
  await work;
  for (let i = 0; i < count; i += 1) await Promise.resolve();
}

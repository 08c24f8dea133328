import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import type { SendOutcome } from '#kafka';
import { inBackground } from '#runtime';
import { Lane, type LaneOutcome } from '../../../../services/ingest/publish/lane.ts';
import { eventually } from '../../../support/eventually.ts';

const STORED: SendOutcome = { outcome: 'stored' };
const REFUSED: SendOutcome = { outcome: 'not-stored', reason: 'NOT_ENOUGH_REPLICAS' };
const LOST: SendOutcome = { outcome: 'unknown', reason: 'KafkaJSRequestTimeoutError' };

const TOO_LARGE: SendOutcome = { outcome: 'too-large', reason: 'MESSAGE_TOO_LARGE' };

const PROBE = 'probe';

describe('Lane', () => {
  // One that ends in trouble would go on probing.
  afterEach(() => {
    for (const lane of lanes.splice(0)) lane.stop();
  });

  it('sends together what comes together', async () => {
    const { lane, sends } = aLane([STORED]);
    const first = [lane.submit('a'), lane.submit('b')];
    await nextTick();
    await Promise.all([...first, lane.submit('c')]);
    expect(sends).to.deep.equal([['a', 'b', 'c']]);
  });

  it('sends at most 500 messages together', async () => {
    const { lane, sends } = aLane([STORED]);
    await Promise.all(Array.from({ length: 1001 }, (_, i) => lane.submit(`${i}`)));
    expect(sends.map((values) => values.length)).to.deep.equal([500, 500, 1]);
  });

  it('sends at most 256 KiB together, and what is larger alone', async () => {
    const { lane, sends } = aLane([STORED]);
    const sizes = [128, 128, 256, 1, 300, 1];
    await Promise.all(sizes.map((kib) => lane.submit('.'.repeat(1024 * kib))));
    const sent = sends.map((values) => values.map((value) => String(value).length / 1024));
    expect(sent).to.deep.equal([[128, 128], [256], [1], [300], [1]]);
  });

  it('reports what became of each send, and why', async () => {
    const { lane, reports } = aLane([LOST, REFUSED, STORED], { expiryMs: 60_000 });
    await lane.submit('a');
    expect(reports).to.deep.equal([
      ['unknown', 'KafkaJSRequestTimeoutError'],
      ['not-stored', 'NOT_ENOUGH_REPLICAS'],
      ['stored', ''],
    ]);
  });

  it('does not wait for what goes on coming', async () => {
    const { lane, sends } = aLane([STORED]);
    const submitted: unknown[] = [];
    for (let turn = 0; turn < 100 && sends.length === 0; turn += 1) {
      submitted.push(lane.submit(`message ${turn}`));
      await nextTick();
    }
    expect(sends).to.have.length(1);
  });

  it('gathers what arrives while it sends', async () => {
    const { lane, sends, hold } = aLane([STORED]);
    const goOn = hold();
    const first = lane.submit('a');
    await untilSent(sends);
    const others = [lane.submit('b'), lane.submit('c')];
    goOn();
    await Promise.all([first, ...others]);
    expect(sends).to.deep.equal([['a'], ['b', 'c']]);
  });

  it('sends a message that comes at any moment while it falls idle', async () => {
    for (let depth = 0; depth < 20; depth += 1) {
      const { lane } = aLane([STORED]);
      let outcome = 'none';
      const first = lane.submit('first');
      await afterMicrotasks(first, depth);
      const submitSecond = async (): Promise<void> => {
        outcome = await lane.submit('second');
      };
      inBackground(submitSecond());
      for (let turn = 0; turn < 5; turn += 1) await nextTick();
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
    const { lane, sends } = aLane([LOST, LOST, STORED]);
    expect(await submitApart(lane, sends)).to.deep.equal(['stored', 'stored']);
  });

  it('rides out a refusal that follows a long doubt, also for what waited behind it', async () => {
    const { lane, sends } = aLane([LOST, LOST, LOST, REFUSED, STORED], { expiryMs: 5000 });
    expect(await submitApart(lane, sends)).to.deep.equal(['stored', 'stored']);
  });

  it('refuses at once after it has given up', async () => {
    const { lane, sends } = aLane([REFUSED]);
    await lane.submit('a');
    const tried = sends.length;
    expect(lane.isOpen).to.equal(true);
    expect(await lane.submit('b')).to.equal('not-stored');
    expect(sends.length).to.equal(tried);
  });

  it('goes on with probes, one at a time, and takes messages again when one is stored', async () => {
    const { lane, sends, repair } = aLane([REFUSED]);
    await lane.submit('a');
    await eventually(
      () => Promise.resolve(sends.length),
      (many) => many > 8,
    );
    repair();
    await eventually(
      () => Promise.resolve(lane.isOpen),
      (isOpen) => !isOpen,
    );
    expect(await lane.submit('b')).to.equal('stored');
    const probes = sends.slice(
      sends.findIndex(([value]) => value === PROBE),
      -1,
    );
    expect(probes).to.deep.equal(probes.map(() => [PROBE]));
    expect(sends.at(-1)).to.deep.equal(['b']);
  });

  it('does not refuse while outcomes are unknown, however long', async () => {
    const { lane, sends } = aLane([LOST]);
    expect(await lane.submit('a')).to.equal('unknown');
    await eventually(
      () => Promise.resolve(sends),
      (all) => all.some(([value]) => value === PROBE),
    );
    expect(lane.isOpen).to.equal(false);
  });

  it('takes messages again as soon as a refusal gives way to a doubt', async () => {
    const { lane, sends } = aLane([...Array.from({ length: 7 }, () => REFUSED), LOST, STORED]);
    await lane.submit('a');
    await eventually(
      () => Promise.resolve(sends.length),
      (many) => many >= 8,
    );
    expect(await lane.submit('b')).to.equal('stored');
  });

  it('refuses only the message that is too large, at once, and stores its neighbours in their order', async () => {
    const stored: unknown[] = [];
    const { lane, sends } = aLane((values) => {
      if (values.length > 3 || values.includes('large')) return TOO_LARGE;
      stored.push(...values);
      return STORED;
    });
    const values = ['a', 'b', 'c', 'large', 'd', 'e', 'large', 'f', 'g', 'h', 'i', 'j'];
    const outcomes = await Promise.all(values.map((value) => lane.submit(value)));

    expect(outcomes).to.deep.equal(values.map((value) => (value === 'large' ? 'not-stored' : 'stored')));
    expect(stored).to.deep.equal(values.filter((value) => value !== 'large'));
    expect(sends.flat()).not.to.include(PROBE);
    expect(lane.bytes).to.equal(0);
  });

  it('takes no message that is too large for trouble of the broker', async () => {
    const { lane, sends } = aLane((values) => (values.includes('large') ? TOO_LARGE : STORED));
    const values = [...Array.from({ length: 20 }, () => 'large'), 'a'];
    for (const value of values)
      expect(await lane.submit(value)).to.equal(value === 'a' ? 'stored' : 'not-stored');
    expect(lane.isOpen).to.equal(false);
    expect(sends).to.deep.equal(values.map((value) => [value]));
  });

  it('never says "not stored" of a message that is too large only after a doubt', async () => {
    const { lane } = aLane([LOST, TOO_LARGE]);
    expect(await lane.submit('a')).to.equal('unknown');
  });

  it('stays silent when it is stopped, and never says "not stored" of what was under way', async () => {
    const { lane, sends } = aLane([LOST], { expiryMs: 60_000 });
    const first = lane.submit('under way');
    await untilSent(sends);
    const outcomes = [first, lane.submit('waiting')];
    lane.stop();
    expect(await Promise.all(outcomes)).to.deep.equal(['unknown', 'not-stored']);
    expect(await lane.submit('late')).to.equal('not-stored');
    expect(sends).to.deep.equal([['under way']]);
  });

  it('sends nothing any more when it is stopped before', async () => {
    const { lane, sends } = aLane([STORED]);
    const submitted = lane.submit('a');
    lane.stop();
    expect(await submitted).to.equal('not-stored');
    for (let turn = 0; turn < 5; turn += 1) await nextTick();
    expect(sends).to.deep.equal([]);
  });

  it('holds no bytes when everything is settled', async () => {
    const { lane } = aLane([STORED]);
    const submitted = [lane.submit('four'), lane.submit('four')];
    expect(lane.bytes).to.equal(8);
    await Promise.all(submitted);
    expect(lane.bytes).to.equal(0);
  });
});

const lanes: Lane[] = [];

/** A lane whose sends end like this, one after the other, the last outcome for ever; or as is said of their values. */
function aLane(
  outcomes: readonly SendOutcome[] | ((values: readonly unknown[]) => SendOutcome),
  { expiryMs = 400 } = {},
): { lane: Lane; sends: unknown[][]; reports: string[][]; repair: () => void; hold: () => () => void } {
  const sends: unknown[][] = [];
  const reports: string[][] = [];
  let isRepaired = false;
  let held = Promise.resolve();
  const lane = new Lane({
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
  lanes.push(lane);
  /** Lets no send end until what it gives is called. */
  const hold = (): (() => void) => {
    let goOn = (): void => undefined;
    held = new Promise((resolve) => (goOn = resolve));
    return goOn;
  };
  return { lane, sends, reports, repair: () => (isRepaired = true), hold };
}

async function untilSent(sends: readonly unknown[]): Promise<void> {
  while (sends.length === 0) await nextTick();
}

/** Two messages, the second while the first is being sent. */
async function submitApart(lane: Lane, sends: readonly unknown[]): Promise<LaneOutcome[]> {
  const first = lane.submit('a');
  await untilSent(sends);
  return Promise.all([first, lane.submit('b')]);
}

async function afterMicrotasks(work: Promise<unknown>, count: number): Promise<void> {
  await work;
  for (let i = 0; i < count; i += 1) await Promise.resolve();
}

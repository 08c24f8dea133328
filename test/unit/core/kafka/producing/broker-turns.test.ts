import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { SendOutcome } from '#core/kafka';
import { BrokerTurns } from '../../../../../packages/core/kafka/producing/broker-turns.ts';

const STORED: SendOutcome = { outcome: 'stored' };
const LOST: SendOutcome = { outcome: 'unknown', reason: 'KafkaJSRequestTimeoutError' };

const HOUR_MS = 3_600_000;

describe('the turns of sends to a broker', () => {
  it('let one send after the other reach a broker, and brokers do not wait for each other', async () => {
    const { sends, send, answer } = someTurns();
    for (const partition of [0, 1, 2]) await answer(send(partition), partition);
    sends.length = 0;
    const all = [send(0), send(1), send(2)]; // partition 2 is on the other broker
    await nextTurn();
    expect(sends).to.deep.equal([0, 2]);
    await answer(all[0], 0);
    await nextTurn();
    expect(sends).to.deep.equal([0, 2, 1]);
    await Promise.all([answer(all[1], 1), answer(all[2], 2)]);
  });

  it('let all others begin after a failure, because the broker may not answer any of them', async () => {
    const { sends, send, answer } = someTurns();
    const all = [send(0), send(1), send(3)];
    await nextTurn();
    expect(sends).to.deep.equal([0]);
    await answer(all[0], 0, { outcome: LOST });
    await nextTurn();
    expect(sends).to.deep.equal([0, 1, 3]);
  });

  it('send nothing to a broker that wants quiet', async () => {
    const { sends, send, answer, throttles } = someTurns();
    await answer(send(2), 2);
    const waiting = [send(0), send(1)];
    await nextTurn();
    await answer(waiting[0], 0, { quietUntil: Date.now() + HOUR_MS });
    expect(await waiting[1]).to.include({ outcome: 'throttled', reason: 'a quota is exceeded' });
    expect(await send(0)).to.include({ outcome: 'throttled' });
    await answer(send(2), 2); // the other broker
    expect(sends).to.deep.equal([2, 0, 2]);
    expect(throttles).to.have.length(1);
    expect(throttles[0]).to.be.within(1, HOUR_MS);
  });

  it('send again to a broker that wanted quiet, when that time is over', async () => {
    const { sends, send, answer } = someTurns();
    const quietUntil = Date.now() + 20;
    await answer(send(0), 0, { quietUntil });
    while (Date.now() <= quietUntil) await nextTurn();
    await answer(send(0), 0);
    expect(sends).to.deep.equal([0, 0]);
  });

  it('go on after a send that throws', async () => {
    const turns = new BrokerTurns(() => undefined);
    const failed = await turns
      .take('topic', 0, () => Promise.reject(new Error('a bug')))
      .catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
    const next = await turns.take('topic', 0, () => Promise.resolve({ outcome: STORED, note: undefined }));
    expect(next).to.equal(STORED);
  });
});

/** Partitions 0, 1 and 3 are on broker 1, partition 2 on broker 2. A send ends when it is answered. */
function someTurns() {
  const throttles: number[] = [];
  const turns = new BrokerTurns((ms) => throttles.push(ms));
  const sends: number[] = [];
  const open = new Map<number, (answer: { outcome: SendOutcome; quietUntil: number }) => void>();
  const send = (partition: number): Promise<SendOutcome> =>
    turns.take('topic', partition, async () => {
      sends.push(partition);
      const { outcome, quietUntil } = await new Promise<{ outcome: SendOutcome; quietUntil: number }>(
        (resolve) => open.set(partition, resolve),
      );
      return { outcome, note: { nodeId: partition === 2 ? 2 : 1, quietUntil } };
    });
  const answer = async (
    sent: Promise<SendOutcome> | undefined,
    partition: number,
    { outcome = STORED, quietUntil = 0 } = {},
  ): Promise<void> => {
    await nextTurn();
    open.get(partition)?.({ outcome, quietUntil });
    await sent;
  };
  return { sends, send, answer, throttles };
}

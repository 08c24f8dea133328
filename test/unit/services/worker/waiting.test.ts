import { expect } from 'chai';
import { LostPartition } from '#core/kafka';
import { FlagmeterError, Registry, createLog } from '#base/runtime';
import { createWorkerMetrics } from '../../../../services/worker/metrics.ts';
import { StoreAway } from '../../../../services/worker/shard-gate.ts';
import { untilDone } from '../../../../services/worker/waiting.ts';
import { aFetchedBatch } from './fetched-batch.ts';

const UNREACHABLE = new Error('unreachable');

describe('waiting for a store', () => {
  it('tries again until the store answers', async () => {
    expect(await tryStore([UNREACHABLE, UNREACHABLE])).to.deep.equal({ outcome: 'answer', tries: 3 });
  });

  it('gives up after the allowed failures, so that other shards get their turn', async () => {
    const { outcome, tries } = await tryStore([UNREACHABLE, UNREACHABLE], { maxFailures: 2 });

    expect(outcome).to.be.instanceOf(StoreAway);
    expect(tries).to.equal(2);
  });

  it('does not try again while the process stops', async () => {
    const { outcome, tries } = await tryStore([UNREACHABLE], { isStopping: true });

    expect(outcome).to.be.instanceOf(LostPartition);
    expect(tries).to.equal(1);
  });

  it('tries nothing for a partition that it has lost', async () => {
    const { outcome, tries } = await tryStore([], { isLost: true });

    expect(outcome).to.be.instanceOf(LostPartition);
    expect(tries).to.equal(0);
  });

  for (const error of [
    new LostPartition(),
    new FlagmeterError('poison', ''),
    new TypeError(),
    new RangeError(),
  ])
    it(`does not try again after a ${error.constructor.name}`, async () => {
      expect(await tryStore([error])).to.deep.equal({ outcome: error, tries: 1 });
    });
});

/** Fails with these errors, then answers. */
async function tryStore(
  errors: readonly Error[],
  { maxFailures = undefined as number | undefined, isStopping = false, isLost = false } = {},
): Promise<{ outcome: unknown; tries: number }> {
  let tries = 0;
  const { group } = aFetchedBatch([], { commit: () => Promise.resolve() });
  const check = (): void => {
    if (isLost) throw new LostPartition();
  };
  const metrics = createWorkerMetrics(new Registry());
  const attempts = { group: { ...group, check, isStopping: () => isStopping }, metrics, maxFailures };
  const outcome = await untilDone({ ...attempts, log: createLog('test', 'fatal') }, 'insert', () => {
    const error = errors[tries];
    tries += 1;
    return error === undefined ? Promise.resolve('answer') : Promise.reject(error);
  }).catch((error: unknown) => error);
  return { outcome, tries };
}

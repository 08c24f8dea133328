import { expect } from 'chai';
import { createShardGate } from '../../../../services/worker/shard-gate.ts';

describe('the gate of a shard', () => {
  it('is open, without a probe, until the shard is away', async () => {
    const gate = createShardGate(() => Promise.reject(new Error('must not be called')));

    expect(await gate.isOpen()).to.equal(true);
  });

  it('stays closed while the shard does not answer, and opens when it does', async () => {
    let isBack = false;
    const gate = createShardGate(() => (isBack ? Promise.resolve() : Promise.reject(new Error('away'))));
    gate.close();

    expect(await gate.isOpen()).to.equal(false);
    isBack = true;
    expect(await gate.isOpen()).to.equal(true);
  });

  it('lets one partition at a time find out', async () => {
    let probes = 0;
    let answer: () => void = () => undefined;
    const gate = createShardGate(() => {
      probes += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    gate.close();
    const first = gate.isOpen();

    expect(await gate.isOpen()).to.equal(false);
    answer();
    expect(await first).to.equal(true);
    expect(probes).to.equal(1);
  });
});

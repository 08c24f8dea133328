import { once } from 'node:events';
import { expect } from 'chai';
import { deadlineSignal } from '#base/runtime';
import { collectGarbage } from '../../../../support/stack/measures/collect-garbage.ts';

describe('the signal of a deadline', () => {
  it('aborts after the time, although garbage is collected meanwhile', async () => {
    const { signal, end } = deadlineSignal(200, new AbortController().signal);
    const collecting = setInterval(collectGarbage, 20);
    await once(signal, 'abort', { signal: AbortSignal.timeout(10_000) });
    clearInterval(collecting);
    expect(signal.reason).to.include({ name: 'TimeoutError' });
    end();
  });

  it('aborts with the other signal, with its reason', () => {
    const other = new AbortController();
    const { signal, end } = deadlineSignal(60_000, other.signal);
    other.abort('stopping');
    expect(signal.reason).to.equal('stopping');
    end();
    const late = deadlineSignal(60_000, other.signal);
    expect(late.signal.aborted).to.equal(true);
    late.end();
  });
});

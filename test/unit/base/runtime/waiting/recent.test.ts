import { expect } from 'chai';
import { createRecent } from '#base/runtime';
import { setClockByHand } from '../../../../support/clock/set-clock.ts';

describe('what is remembered for a time', () => {
  const clock = setClockByHand();

  it('is forgotten after it, although the clock was ahead and went back', () => {
    const recent = createRecent<string>({ maxSize: 10, maxAgeMs: 50 });
    const now = Date.now.bind(Date);
    Date.now = () => now() + 86_400_000;
    try {
      recent.set('key', 'value');
    } finally {
      Date.now = now;
    }
    expect(recent.get('key')).to.equal('value');
    clock.advance(49);
    expect(recent.has('key')).to.equal(true);
    clock.advance(1);
    expect(recent.has('key')).to.equal(false);
  });

  it('is forgotten when it is too much', () => {
    const recent = createRecent<number>({ maxSize: 2, maxAgeMs: 60_000 });
    for (let key = 0; key < 5; key += 1) recent.set(String(key), key);
    expect(recent.has('0')).to.equal(false);
    expect(recent.get('4')).to.equal(4);
  });
});

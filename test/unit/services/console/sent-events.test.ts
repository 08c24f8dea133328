import { expect } from 'chai';
import fc from 'fast-check';
import { createSentEvents } from '../../../../services/console/api/live/sent-events.ts';

const TEXT =
  'retry: 5000\n\nevent: counts\ndata: {"lag":3}\n\n: \n\nevent: change-request\ndata: {"a":"data: b"}\n\ndata: alone\n\n';

describe('server-sent events', () => {
  it('are the same, wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(TEXT.length)), (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), TEXT.length];
        const eventsIn = createSentEvents();
        const events = places.flatMap((place, at) => eventsIn(TEXT.slice(places[at - 1] ?? 0, place)));
        expect(events).to.deep.equal([
          { name: 'counts', data: '{"lag":3}' },
          { name: 'change-request', data: '{"a":"data: b"}' },
          { name: 'message', data: 'alone' },
        ]);
      }),
    );
  });

  it('are never longer than a bound', () => {
    const eventsIn = createSentEvents();
    eventsIn('data: ');
    expect(() => eventsIn('x'.repeat(300_000))).to.throw('an event does not end');
  });
});

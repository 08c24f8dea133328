import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createLog } from '#runtime';
import { ANYBODY, type Caller } from '#tokens';
import { createListeners } from '../../../../services/admin/live/listeners.ts';

const log = createLog('test', 'fatal');
const caller = (userId: number): Caller => ({ ...ANYBODY, userId });
const isStillAllowed = () => Promise.resolve(true);

function aCrowd() {
  const calls: string[] = [];
  const listeners = createListeners({
    log,
    onFirst: () => calls.push('first'),
    onLast: () => calls.push('last'),
  });
  return { listeners, calls };
}

describe('listeners of live events', () => {
  it('are 250 of one caller and 1,000 in total at most, even if 10,000 come', () => {
    const { listeners } = aCrowd();
    let rejected = 0;
    for (let index = 0; index < 10_000; index += 1) {
      try {
        listeners.add({ caller: caller(index % 10), isStillAllowed }, 'hello');
      } catch (error) {
        expect(error).to.include({ status: 503 });
        rejected += 1;
      }
    }
    expect(listeners.count()).to.equal(1000);
    expect(rejected).to.equal(9000);
    listeners.end();

    const { listeners: others } = aCrowd();
    for (let index = 0; index < 250; index += 1) others.add({ caller: caller(1), isStillAllowed }, 'hello');
    expect(() => others.add({ caller: caller(1), isStillAllowed }, 'hello')).to.throw('Too many listeners');
    others.add({ caller: caller(2), isStillAllowed }, 'hello');
    others.end();
  });

  it('start the reading with the first one and end it with the last one', async () => {
    const { listeners, calls } = aCrowd();
    const [one, two] = [1, 2].map((id) => listeners.add({ caller: caller(id), isStillAllowed }, 'hello'));
    expect(calls).to.deep.equal(['first']);
    for (const stream of [one, two]) {
      stream?.destroy();
      if (stream !== undefined) await once(stream, 'close');
    }
    expect(calls).to.deep.equal(['first', 'last']);
    expect(listeners.count()).to.equal(0);
    listeners.add({ caller: caller(1), isStillAllowed }, 'hello');
    expect(calls).to.deep.equal(['first', 'last', 'first']);
    listeners.end();
  });

  it('are not admitted after the end', () => {
    const { listeners } = aCrowd();
    listeners.end();
    expect(() => listeners.add({ caller: caller(1), isStillAllowed }, 'hello')).to.throw(
      'Too many listeners',
    );
  });

  it('get nothing more after their caller has lost the permission', async () => {
    const { listeners } = aCrowd();
    let isAllowed = true;
    const first = listeners.add({ caller: caller(1), isStillAllowed }, 'hello');
    const text: string[] = [];
    first.setEncoding('utf8').on('data', (part: string) => text.push(part));
    const denied = listeners.add(
      { caller: caller(2), isStillAllowed: () => Promise.resolve(isAllowed) },
      'hello',
    );
    isAllowed = false;
    await listeners.check();
    listeners.send('more');
    await once(denied, 'close');
    expect(listeners.count()).to.equal(1);
    while (!text.join('').includes('more')) await nextTurn();
    listeners.end();
  });

  describe('on a connection', () => {
    const { listeners } = aCrowd();
    let server: Server;
    let url: string;
    before(async () => {
      server = createServer((_request, response) => {
        pipeline(listeners.add({ caller: caller(1), isStillAllowed }, 'hello'), response, () => undefined);
      });
      server.listen({ host: '127.0.0.1', port: 0 });
      await once(server, 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    after(() => {
      listeners.end();
      server.closeAllConnections();
      server.close();
    });

    it('are dropped if they do not read, and the others get everything', async () => {
      const answer = await fetch(url);
      const reader = answer.body?.getReader();
      const { hostname, port } = new URL(url);
      // A socket reads nothing before somebody listens to its data.
      const slow = connect({ host: hostname, port: Number(port) });
      slow.on('error', () => undefined);
      slow.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      while (listeners.count() < 2) await nextTurn();
      const text = 'x'.repeat(64 * 1024);
      let [sent, received] = [0, 0];
      while (listeners.count() === 2) {
        listeners.send(text);
        sent += text.length;
        expect(sent).to.be.lessThan(64 * 1024 * 1024);
        while (received < sent) {
          const part = (await reader?.read()) as { done: boolean; value?: Uint8Array } | undefined;
          expect(part?.done).to.equal(false);
          received += part?.value?.length ?? 0;
        }
      }
      expect(listeners.count()).to.equal(1);
      slow.destroy();
      await reader?.cancel();
    });
  });
});

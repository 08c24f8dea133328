import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createLog } from '#base/runtime';
import { ANYBODY, type Caller } from '#base/tokens';
import { createListeners } from '../../../../../../services/admin/doors/live/listeners.ts';

const log = createLog('test', 'fatal');
const caller = (userId: number): Caller => ({ ...ANYBODY, userId });
const viewer = (userId: number): Caller => ({ ...caller(userId), role: 'Viewer' });
const isStillAllowed = () => Promise.resolve(true);

function statusOf(listeners: ReturnType<typeof createListeners>, one: Caller): number {
  try {
    listeners.add({ caller: one, visible: undefined, isStillAllowed }, 'hello');
    return 200;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

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
  it('are 20 of one caller at most; others still listen', () => {
    const { listeners } = aCrowd();
    for (let index = 0; index < 20; index += 1) expect(statusOf(listeners, caller(1))).to.equal(200);
    expect(statusOf(listeners, caller(1))).to.equal(429);
    expect(statusOf(listeners, caller(2))).to.equal(200);
    listeners.end();
  });

  it('are 1,000 in total at most, of which 100 are left to Admins', () => {
    const { listeners } = aCrowd();
    const statuses = Array.from({ length: 10_000 }, (_, index) => statusOf(listeners, viewer(index % 100)));
    expect(statuses.filter((status) => status === 200)).to.have.length(900);
    expect(statuses.filter((status) => status === 503)).to.have.length(9100);
    const ofAdmins = Array.from({ length: 200 }, (_, index) => statusOf(listeners, caller(index % 10)));
    expect(ofAdmins.filter((status) => status === 200)).to.have.length(100);
    expect(listeners.count()).to.equal(1000);
    listeners.end();
  });

  it('that leave give their room back to others of their role', async () => {
    const { listeners } = aCrowd();
    const [first] = Array.from({ length: 900 }, (_, index) =>
      listeners.add({ caller: viewer(index), visible: undefined, isStillAllowed }, 'hello'),
    );
    expect(statusOf(listeners, viewer(900))).to.equal(503);
    first?.destroy();
    if (first !== undefined) await once(first, 'close');
    expect(statusOf(listeners, viewer(900))).to.equal(200);
    listeners.end();
  });

  it('start the reading with the first one and end it with the last one', async () => {
    const { listeners, calls } = aCrowd();
    const [one, two] = [1, 2].map((id) =>
      listeners.add({ caller: caller(id), visible: undefined, isStillAllowed }, 'hello'),
    );
    expect(calls).to.deep.equal(['first']);
    for (const stream of [one, two]) {
      stream?.destroy();
      if (stream !== undefined) await once(stream, 'close');
    }
    expect(calls).to.deep.equal(['first', 'last']);
    expect(listeners.count()).to.equal(0);
    listeners.add({ caller: caller(1), visible: undefined, isStillAllowed }, 'hello');
    expect(calls).to.deep.equal(['first', 'last', 'first']);
    listeners.end();
  });

  it('are not admitted after the end', () => {
    const { listeners } = aCrowd();
    listeners.end();
    expect(() => listeners.add({ caller: caller(1), visible: undefined, isStillAllowed }, 'hello')).to.throw(
      'Too many listeners',
    );
  });

  it('get nothing more after their caller has lost the permission', async () => {
    const { listeners } = aCrowd();
    let isAllowed = true;
    const first = listeners.add({ caller: caller(1), visible: undefined, isStillAllowed }, 'hello');
    const text: string[] = [];
    first.setEncoding('utf8').on('data', (part: string) => text.push(part));
    const denied = listeners.add(
      { caller: caller(2), visible: undefined, isStillAllowed: () => Promise.resolve(isAllowed) },
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

  it('end by themselves when their caller loses the permission, also while the check of another takes long', async () => {
    const { listeners } = aCrowd();
    const never = new Promise<boolean>(() => undefined);
    listeners.add({ caller: caller(1), visible: undefined, isStillAllowed: () => never }, 'hello');
    let isAllowed = true;
    const denied = listeners.add(
      { caller: caller(2), visible: undefined, isStillAllowed: () => Promise.resolve(isAllowed) },
      'hello',
    );
    denied.resume();
    await nextTurn(); // after the first check
    isAllowed = false;
    await once(denied, 'close');
    expect(listeners.count()).to.equal(1);
    listeners.end();
  });

  describe('on a connection', () => {
    const { listeners } = aCrowd();
    let server: Server;
    let url: string;
    before(async () => {
      server = createServer((_request, response) => {
        pipeline(
          listeners.add({ caller: caller(1), visible: undefined, isStillAllowed }, 'hello'),
          response,
          () => undefined,
        );
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

import { once } from 'node:events';
import { expect } from 'chai';
import { createHub } from '#base/auth';
import { type ForkedBus, LOST_EXIT_CODE, forkBus } from '../../../support/stack/bus/forked-bus.ts';
import { DEAF, overheard } from '../../../support/stack/bus/overheard.ts';
import { eventually } from '../../../support/eventually.ts';

/** More than the kernel keeps for a process and the bound of those that wait. */
const ANNOUNCED = 6000;

describe('revocations through the supervisor', () => {
  const hub = createHub();
  const opened: ForkedBus[] = [];
  afterEach(() => {
    for (const bus of opened.splice(0)) bus.close();
  });

  it('do not wait or gather for a frozen process, which looks all tokens up again afterwards', async () => {
    let sent = 0;
    const frozen = await forkBus((channel) => {
      hub.join({
        get connected() {
          return channel.connected;
        },
        send: (...message) => {
          sent += 1;
          return channel.send?.(...message) ?? false;
        },
        on: (event, listener) => channel.on(event, listener),
      });
    });
    opened.push(frozen);
    const busy = await open();
    const { heard, subscribe } = overheard(frozen);
    const connected = once(heard, 'gap');
    subscribe(DEAF);
    await connected;
    frozen.child.kill('SIGSTOP');
    for (let made = 0; made < ANNOUNCED; made += 1) expect(await busy.announce(`token-${made}`)).to.equal(2);
    expect(sent).to.be.lessThan(ANNOUNCED / 2);
    const gap = once(heard, 'gap');
    frozen.child.kill('SIGCONT');
    await gap;
    const revoked = once(heard, 'revoked');
    await busy.announce('after all');
    await revoked;
  });

  it('reach those that are left when a process is killed, and its successor', async () => {
    const [busy, killed] = [await open(), await open()];
    const ended = once(killed.child, 'exit');
    killed.child.kill('SIGKILL');
    await ended;
    await eventually(
      () => busy.announce('some-token'),
      (receivers) => receivers === 1,
    );
    const { heard, subscribe } = overheard(await open());
    const connected = once(heard, 'gap');
    subscribe(DEAF);
    await connected;
    const revoked = once(heard, 'revoked');
    expect(await busy.announce('some-token')).to.equal(2);
    await revoked;
  });

  it('are known to be missed without the supervisor', async () => {
    const orphan = await open();
    const { heard, subscribe } = overheard(orphan);
    const connected = once(heard, 'gap');
    subscribe(DEAF);
    await connected;
    const ended = once(orphan.child, 'exit');
    orphan.child.disconnect();
    expect(await ended).to.deep.equal([LOST_EXIT_CODE, null]);
  });

  async function open(): Promise<ForkedBus> {
    const bus = await forkBus((channel) => {
      hub.join(channel);
    });
    opened.push(bus);
    return bus;
  }
});

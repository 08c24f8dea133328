import { type Bus, type Channel, createHub, openRedisBus } from '#base/auth';
import { createLog } from '#base/runtime';
import { stackEnv } from '../engines/stack-addresses.ts';
import { startTcpProxy } from '../proxies/tcp-proxy.ts';
import { forkBus } from './forked-bus.ts';

/** A way by which processes hear of one another. */
export type BusWay = {
  /** The bus of one more process. */
  open(): Promise<Bus>;
  /** From now on nobody gets an answer. */
  silence(): void;
  mend(): Promise<void>;
  close(): Promise<void>;
};

export const BUS_WAYS: Readonly<Record<string, () => Promise<BusWay>>> = {
  Redis: openRedisWay,
  'the supervisor': openSupervisorWay,
};

async function openRedisWay(): Promise<BusWay> {
  const url = new URL(stackEnv().REDIS_URL);
  const port = Number(url.port);
  const proxy = await startTcpProxy(() => port);
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const opened: Bus[] = [];
  return {
    open() {
      const bus = openRedisBus({ url: url.toString(), tls: undefined }, createLog('test', 'fatal'));
      opened.push(bus);
      return Promise.resolve(bus);
    },
    silence() {
      proxy.swallowAnswers();
    },
    mend: () => proxy.mend(),
    async close() {
      for (const bus of opened) bus.close();
      await proxy.close();
    },
  };
}

/** This process is the supervisor. */
function openSupervisorWay(): Promise<BusWay> {
  const hub = createHub();
  let isSilent = false;
  const opened: Bus[] = [];
  const joinUnlessSilent = (channel: Channel): void => {
    hub.join({
      get connected() {
        return channel.connected;
      },
      send: (...sent) => channel.send?.(...sent) ?? false,
      on: (event, listener) =>
        channel.on(event, (message) => {
          if (!isSilent) listener(message);
        }),
    });
  };
  return Promise.resolve({
    async open() {
      const bus = await forkBus(joinUnlessSilent);
      opened.push(bus);
      return bus;
    },
    silence() {
      isSilent = true;
    },
    mend() {
      isSilent = false;
      return Promise.resolve();
    },
    close() {
      for (const bus of opened) bus.close();
      return Promise.resolve();
    },
  });
}

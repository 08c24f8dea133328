import { freePort, startKafka } from '../../../../../tools/stack/index.ts';
import { type TcpProxy, startTcpProxy } from '../../proxies/tcp-proxy.ts';
import { type OwnEngine, endingAtOnce, own } from '../own-engines.ts';

/** A broker that clients reach directly at its address, and through a proxy at the port of the wire. */
export type WiredKafka = OwnEngine & { readonly wire: TcpProxy };

export async function wiredKafka(): Promise<WiredKafka> {
  const [port, controllerPort, innerPort] = [await freePort(), await freePort(), await freePort()];
  const wire = await startTcpProxy(() => innerPort, await freePort());
  const at = (listener: string, itsPort: number): string => `${listener}://127.0.0.1:${itsPort}`;
  // Clients connect to the address that the broker advertises for the listener, whatever address they were given.
  const settings = {
    listeners: [at('PLAINTEXT', port), at('WIRED', innerPort), at('CONTROLLER', controllerPort)].join(),
    'advertised.listeners': [at('PLAINTEXT', port), at('WIRED', wire.port)].join(),
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,WIRED:PLAINTEXT,CONTROLLER:PLAINTEXT',
  };
  const start = (directory: string) => startKafka({ directory, port, controllerPort, settings });
  const engine = endingAtOnce(await own(start));
  return {
    ...engine,
    wire,
    async dispose() {
      await wire.close();
      await engine.dispose();
    },
  };
}

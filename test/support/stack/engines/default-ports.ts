import { createServer } from 'node:net';
import { once } from 'node:events';

/** The default ports of the local engines: Kafka, ClickHouse, Postgres. */
export const DEFAULT_PORTS = [19_092, 18_123, 15_432] as const;

/**
 * Listens on each default port on which nothing listens yet, so that all are taken. Returns the function that ends
 * this.
 */
export async function occupyDefaultPorts(): Promise<() => void> {
  const servers = await Promise.all(DEFAULT_PORTS.map(occupy));
  return () => {
    for (const server of servers) server.close();
  };
}

async function occupy(port: number): Promise<ReturnType<typeof createServer>> {
  const server = createServer().listen(port, '127.0.0.1');
  // Rejects if another process listens there, which has the same effect.
  await once(server, 'listening').catch(() => undefined);
  return server;
}

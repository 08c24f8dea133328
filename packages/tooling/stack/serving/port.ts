import { freePort, listenOnce, reservePort } from '../processes/free-port.ts';
import { RunError } from './terminal.ts';

const DEFAULT_PORT = 4242;

/** PORT if it is set, otherwise 4242, or any free port if that is taken. */
export async function findPort(env: NodeJS.ProcessEnv): Promise<number> {
  if (env['PORT']) return choosePort(env);
  return (await reservePort(DEFAULT_PORT)) ? DEFAULT_PORT : freePort();
}

/**
 * The port to serve on: PORT, by default 4242, or any free one for 0. Throws if the port is taken. OPS_PORT likewise.
 */
export async function choosePort(env: NodeJS.ProcessEnv): Promise<number> {
  const port = parsePort('PORT', env['PORT'] || String(DEFAULT_PORT));
  const opsPort = env['OPS_PORT'] ? parsePort('OPS_PORT', env['OPS_PORT']) : 0;
  if (opsPort !== 0) await rejectUsed('OPS_PORT', opsPort, env['OPS_HOST'] || '127.0.0.1');
  // A restarted service must listen on the same port again.
  if (port === 0) return freePort();
  await rejectUsed('PORT', port, env['HTTP_HOST'] || '127.0.0.1');
  return port;
}

function parsePort(name: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new RunError(`${name} must be a port from 0 to 65535, not "${text}".`);
}

async function rejectUsed(name: string, port: number, host: string): Promise<void> {
  try {
    await listenOnce(port, host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code ?? message})`;
    throw new RunError(
      `Port ${port} ${reason}: stop what listens there, or choose another one with ${name}=${port + 1}.`,
    );
  }
}

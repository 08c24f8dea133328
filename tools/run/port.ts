import { freePort, listenOnce } from '../stack/index.ts';
import { RunError } from './run-program.ts';

const DEFAULT_PORT = 4242;

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

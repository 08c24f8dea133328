import { freePort, listenOnce } from '../stack/index.ts';
import { RunError } from './run-program.ts';

const USUAL_PORT = 4242;

/** The port to serve on: PORT, else 4242, and any free one for 0. Refuses one that is taken. */
export async function choosePort(env: NodeJS.ProcessEnv): Promise<number> {
  const text = env['PORT'] || String(USUAL_PORT);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RunError(`PORT must be a port from 0 to 65535, not "${text}".`);
  }
  // A service that is started again must come back to the same one.
  if (port === 0) return freePort();
  try {
    await listenOnce(port, env['HTTP_HOST'] || '127.0.0.1');
    return port;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be listened on (${code ?? message})`;
    throw new RunError(
      `Port ${port} ${reason}: stop what listens there, or choose another one with PORT=${port + 1}.`,
    );
  }
}

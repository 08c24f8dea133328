import { createServer } from 'node:net';
import { freePort } from '../stack/index.ts';
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
  const problem = await listenOnce(port, env['HTTP_HOST'] || '127.0.0.1');
  if (problem === undefined) return port;
  const reason = problem === 'EADDRINUSE' ? 'is taken' : `cannot be listened on (${problem})`;
  throw new RunError(
    `Port ${port} ${reason}: stop what listens there, or choose another one with PORT=${port + 1}.`,
  );
}

/** The code of the error that listening ends with, undefined if it works. */
function listenOnce(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => {
        resolve(undefined);
      });
    });
  });
}

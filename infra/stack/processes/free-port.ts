import { randomInt } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { isAlive } from './processes.ts';

/**
 * Below the range from which systems take the ports of outgoing connections (Linux 32768, macOS 49152): from that range
 * a port that was free a second ago may be in use when an engine has come so far as to listen on it.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;

/** One file per port that a living process has taken for something that will listen there. */
const CLAIMS = path.join(tmpdir(), `flagmeter-ports-${userInfo().uid}`);

/** Whether nothing listens on that loopback port; then no other process is given it while this one lives. */
export async function takePort(port: number): Promise<boolean> {
  await mkdir(CLAIMS, { recursive: true });
  return (await claim(port)) && (await isFree(port));
}

/** A loopback port that nothing listens on, and that no other process is given while this one lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await takePort(port)) return port;
  }
}

/** Listens for a moment; throws what listening there ends with. */
export function listenOnce(port: number, host = '127.0.0.1'): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => {
        resolve();
      });
    });
  });
}

async function claim(port: number): Promise<boolean> {
  const file = path.join(CLAIMS, String(port));
  if (await writeClaim(file)) return true;
  const owner = Number(await readFile(file, 'utf8').catch(() => ''));
  // An empty claim is one that is being written.
  if (owner === 0 || (await isAlive(owner))) return false;
  await rm(file, { force: true });
  return writeClaim(file);
}

async function writeClaim(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  try {
    await listenOnce(port);
    return true;
  } catch {
    return false;
  }
}

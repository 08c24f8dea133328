import { randomInt } from 'node:crypto';
import { mkdir, readFile, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { isAlive } from './processes.ts';

/**
 * Below the ports that systems use for outgoing connections (Linux from 32768, macOS from 49152). A port in that
 * range may become used before the engine listens on it.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;

/** One file per port that a living process has reserved for an engine. */
const CLAIMS = path.join(tmpdir(), `flagmeter-ports-${userInfo().uid}`);

/** Whether nothing listens on that loopback port. If so, no other process gets this port while this process lives. */
export async function reservePort(port: number): Promise<boolean> {
  await mkdir(CLAIMS, { recursive: true });
  return (await claim(port)) && (await isFree(port));
}

/** A loopback port on which nothing listens. No other process gets it while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await reservePort(port)) return port;
  }
}

/** Listens for a moment; throws the error of the attempt. */
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
  // An empty file belongs to a process that is still writing it.
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

/** Deletes the files of processes that have ended. */
export async function forgetClaims(): Promise<void> {
  for (const port of await readdir(CLAIMS).catch(() => [])) {
    const file = path.join(CLAIMS, port);
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (owner === process.pid || (owner !== 0 && !(await isAlive(owner)))) await rm(file, { force: true });
  }
  await rmdir(CLAIMS).catch(() => undefined); // Other processes may have files there.
}

async function isFree(port: number): Promise<boolean> {
  try {
    await listenOnce(port);
    return true;
  } catch {
    return false;
  }
}

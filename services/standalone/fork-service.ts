import { type ChildProcess, fork } from 'node:child_process';
import cluster from 'node:cluster';
import { getPriority, setPriority } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMachineId } from '#base/auth';

export type ServiceName = 'standalone' | 'worker' | 'unleash-bridge';

const STDIO = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
/** The worker and ingest share the cores of one machine. */
export const WORKER_NICE = 5;

/**
 * Standalone processes listen on the same ports. Of several, each gets every n-th connection: the kernel would give most of them
 * to few processes. One takes its connections itself, which costs nothing.
 */
export function sharePorts(processes: number): void {
  cluster.schedulingPolicy = processes === 1 ? cluster.SCHED_NONE : cluster.SCHED_RR;
  cluster.setupPrimary({ exec: mainOf('standalone'), args: [createMachineId()], stdio: [...STDIO] });
}

/** Call `sharePorts` before. */
export function forkService(service: ServiceName, given: NodeJS.ProcessEnv): ChildProcess {
  const env = environmentOf(given);
  if (service === 'standalone') return forkSharing(env);
  const child = fork(mainOf(service), { env, stdio: [...STDIO] });
  // Counting can wait, relays cannot. Only root may lower it.
  if (service === 'worker' && child.pid !== undefined)
    setPriority(child.pid, Math.max(WORKER_NICE, getPriority()));
  return child;
}

/** With the young generation of the image: that of Node 24 takes 30 to 60 MiB more in each process, and makes large bodies dearer. */
export function environmentOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { NODE_OPTIONS: '--max-semi-space-size=16', ...env };
}

function forkSharing(env: NodeJS.ProcessEnv): ChildProcess {
  const worker = cluster.fork(env);
  // It repeats the errors of its process, which the supervisor handles; without a listener they would be thrown.
  worker.on('error', () => undefined);
  return worker.process;
}

function mainOf(service: ServiceName): string {
  return fileURLToPath(new URL(`../${service}/main${extname(import.meta.filename)}`, import.meta.url));
}

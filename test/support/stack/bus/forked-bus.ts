import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Bus, Channel, RevocationListener } from '#base/auth';
import { FROM_SOURCES } from '../../../../tools/run/from-sources.ts';

export type Call =
  | { readonly subscriber: number }
  | { readonly id: number; readonly announce: string }
  | {
      readonly id: number;
      readonly requests: readonly (readonly [string, number])[];
      readonly windowMs: number;
    };

export type Report =
  | { readonly isOpen: true }
  | { readonly subscriber: number; readonly revoked: string }
  | { readonly subscriber: number; readonly isGap: true }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

/** By which the process says that its subscriber knows of missed announcements. */
export const LOST_EXIT_CODE = 7;

/** The bus of a separate process, which `join` makes a member of a hub. `close` kills the process. */
export type ForkedBus = Bus & { readonly child: ChildProcess };

export async function forkBus(join: (channel: Channel) => void): Promise<ForkedBus> {
  const program = path.join(import.meta.dirname, 'bus-process.ts');
  const child = fork(program, { execArgv: [...FROM_SOURCES] });
  join(child);
  const waiting = new Map<number, (report: Report) => void>();
  const listeners: RevocationListener[] = [];
  child.on('message', ({ report }: { report?: Report }) => {
    if (report === undefined) return;
    if ('id' in report) waiting.get(report.id)?.(report);
    else if ('revoked' in report) listeners[report.subscriber]?.onRevoked(report.revoked);
    else if ('isGap' in report) listeners[report.subscriber]?.onGap();
  });
  child.on('disconnect', () => {
    for (const listener of listeners) listener.onLost();
  });
  await once(child, 'message');
  let calls = 0;
  const call = async (content: { announce: string } | { requests: [string, number][]; windowMs: number }) => {
    const id = (calls += 1);
    const report = await new Promise<Report>((resolve) => {
      waiting.set(id, resolve);
      child.send({ call: { id, ...content } });
    });
    if ('result' in report) return report.result;
    throw new Error('error' in report ? report.error : 'no result');
  };
  return {
    child,
    announce: async (tokenId) => (await call({ announce: tokenId })) as number,
    subscribe(listener) {
      child.send({ call: { subscriber: listeners.push(listener) - 1 } satisfies Call });
    },
    addUp: async (requests, windowMs) =>
      new Map(
        (await call({ requests: [...requests], windowMs })) as [
          string,
          { requests: number; resetMs: number },
        ][],
      ),
    close() {
      child.kill('SIGKILL');
    },
  };
}

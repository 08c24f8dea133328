import { gzipSync } from 'node:zlib';
import type { ServiceProcess } from '../../stack/processes/process.ts';
import type { Reaching } from './admin-records.ts';
import type { Door } from './doors.ts';
import type { Growth } from './growths.ts';

export type Cost = {
  readonly what: string;
  readonly status: number;
  /** After decompression. */
  readonly kilobytes: number;
  readonly cpuMs: number;
};

/**
 * What a body may cost, on every path: CPU time for each kilobyte after decompression, and some for the request, the compiler and the
 * garbage of the body before it (docs/operate/limits.md#cost-of-a-body).
 */
const MS_PER_KILOBYTE = 2;
const MS_PER_REQUEST = 60;

export function isTooDear({ kilobytes, cpuMs }: Cost): boolean {
  return cpuMs > MS_PER_REQUEST + MS_PER_KILOBYTE * kilobytes;
}

/** Bodies through one door. */
export type Attack = {
  readonly service: ServiceProcess;
  readonly door: Door;
  /** How the next body reaches its operation. */
  readonly reach: () => Promise<Reaching>;
  /** Notes the answer to a body. */
  readonly answered: (status: number) => void;
};

/** `reach` is called again after each body that was not rejected, because such a body may have used up a record. */
export function createAttack({ service, door, reach }: Omit<Attack, 'answered'>): Attack {
  let reaching: Promise<Reaching> | undefined;
  return {
    service,
    door,
    reach: () => (reaching ??= reach()),
    answered(status) {
      if (status !== 400) reaching = undefined;
    },
  };
}

/** A measurement may have to collect the garbage of those before it, and a busy machine may make an answer late. */
const TRIES = 3;

/** Sends a body that is too dear again, because a repetition is not if only the time of the measurement was wrong. */
export async function cheapestOf(attack: Attack, growth: Growth, bytes: number): Promise<Cost> {
  let cost = await costOf(attack, growth, bytes);
  for (let again = 1; again < TRIES && (isTooDear(cost) || cost.status >= 500); again += 1)
    cost = await costOf(attack, growth, bytes);
  return cost;
}

/** Sends a body with one dimension of so many bytes, and measures the CPU time of the attacked process. */
async function costOf(attack: Attack, growth: Growth, bytes: number): Promise<Cost> {
  const { service, door } = attack;
  const honest = door.encode(door.honest).length;
  const body = door.encode(growth.grow(Math.max(1, bytes - honest)));
  const reaching = await attack.reach();
  const before = await service.readUsage();
  const status = await send(attack, reaching, body);
  const after = await service.readUsage();
  attack.answered(status);
  return {
    what: `${door.method} ${door.path} (${door.contentType}), ${growth.name}, ${bytes} bytes`,
    status,
    kilobytes: body.length / 1000,
    cpuMs: after.cpuMs - before.cpuMs,
  };
}

const FASTEST = { level: 1 };

async function send(
  { service, door }: Attack,
  { path, authorization, headers }: Reaching,
  body: Uint8Array,
): Promise<number> {
  const answer = await fetch(`${service.url}${path}`, {
    method: door.method,
    body: new Uint8Array(gzipSync(body, FASTEST)),
    headers: { ...headers, authorization, 'content-type': door.contentType, 'content-encoding': 'gzip' },
  });
  await answer.arrayBuffer();
  return answer.status;
}

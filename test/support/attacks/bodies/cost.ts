import { gzipSync } from 'node:zlib';
import { statusOf } from '../../requests/ask.ts';
import type { ServiceProcess } from '../../stack/processes/process.ts';
import type { Reaching } from './admin-records.ts';
import type { Door } from './doors.ts';
import type { Growth } from './growths.ts';

export type Cost = {
  readonly what: string;
  readonly status: number;
  /** After decompression, unless nothing is left then. */
  readonly kilobytes: number;
  readonly cpuMs: number;
  /** Of the turns of the event loop, in which others wait. */
  readonly longestTurnMs: number;
};

/**
 * What a body may cost, on every path: CPU time for each kilobyte after decompression, and some for the request, the compiler and the
 * garbage of the body before it (docs/operate/watch/limits.md#cost-of-a-body).
 */
const MS_PER_KILOBYTE = 2;
const MS_PER_REQUEST = 60;
/** What one turn may cost: pieces, the parser of JSON, a collection of garbage, and code that is not yet compiled. */
const TURN_MS = 50;
const TURN_MS_PER_KILOBYTE = 0.05;

export function isTooDear({ kilobytes, cpuMs, longestTurnMs }: Cost): boolean {
  return (
    cpuMs > MS_PER_REQUEST + MS_PER_KILOBYTE * kilobytes ||
    longestTurnMs > TURN_MS + TURN_MS_PER_KILOBYTE * kilobytes
  );
}

/** Bodies through one door. */
export type Attack = {
  readonly service: ServiceProcess;
  readonly door: Door;
  /** How the next body reaches its operation. */
  readonly reach: () => Promise<Reaching>;
  /** Notes the answer to a body. */
  readonly answered: (status: number, sent: Sent) => void;
};

/** `reach` is called again after each body that was not rejected, because such a body may have used up a record. */
export function createAttack({ service, door, reach }: Omit<Attack, 'answered'>): Attack {
  let reaching: Promise<Reaching> | undefined;
  return {
    service,
    door,
    reach: () => (reaching ??= reach()),
    answered(status) {
      if (!UNREAD.has(status)) reaching = undefined;
    },
  };
}

/** Answers to bodies that have changed nothing. */
const UNREAD: ReadonlySet<number> = new Set([400, 413, 415]);

/** A body as it is sent. */
export type Sent = Pick<Cost, 'what' | 'kilobytes'> & {
  /** The header that names it. */
  readonly encoding: string;
  readonly bytes: Uint8Array;
};

const FASTEST = { level: 1 };

/**
 * An honest body with one growth, about so many bytes long and no longer than the door allows. If it has as many bytes by itself, it grows by
 * half of them.
 */
export function grownBody({ encode, honest, maxBytes }: Door, growth: Growth, bytes: number): Sent {
  let growing = Math.max(bytes / 2, bytes - encode(honest).length);
  let body = encode(growth.grow(growing));
  for (; body.length > maxBytes; body = encode(growth.grow(growing)))
    growing *= (0.99 * maxBytes) / body.length;
  return {
    what: `${growth.name}, ${bytes} bytes`,
    kilobytes: body.length / 1000,
    encoding: 'gzip',
    bytes: gzipSync(body, FASTEST),
  };
}

/** A body that is dear to decode, and has no content. */
export function emptyBody(encoding: string, bytes: Uint8Array): Sent {
  return {
    what: `${encoding} of nothing, ${bytes.length} bytes`,
    kilobytes: bytes.length / 1000,
    encoding,
    bytes,
  };
}

/**
 * Sends bodies one after the other, and returns the costs of those that are too dear. They are measured together, because a measurement
 * costs as much as a body: if all of them cost no more than one may, none is too dear.
 */
export async function dearAmong(attack: Attack, bodies: readonly Sent[]): Promise<Cost[]> {
  const [first] = bodies;
  if (first === undefined) return [];
  if (bodies.length === 1) {
    const cost = await cheapestOf(attack, first);
    return isTooDear(cost) || cost.status === 500 ? [cost] : [];
  }
  const kilobytes = Math.min(...bodies.map((body) => body.kilobytes));
  const sum = { ...first, kilobytes, ...(await costOf(attack, bodies)) };
  if (!isDoubtful(sum)) return [];
  const half = Math.ceil(bodies.length / 2);
  return [
    ...(await dearAmong(attack, bodies.slice(0, half))),
    ...(await dearAmong(attack, bodies.slice(half))),
  ];
}

function isDoubtful(cost: Cost): boolean {
  return isTooDear(cost) || cost.status >= 500;
}

/** A measurement may have to collect the garbage of those before it, and a busy machine may make an answer late. */
export const TRIES = 3;

/** Sends a body that is too dear again, because a repetition is not if only the time of the measurement was wrong. */
async function cheapestOf(attack: Attack, sent: Sent): Promise<Cost> {
  const { method, path, contentType } = attack.door;
  const measured = {
    what: `${method} ${path} (${contentType}), ${sent.what}`,
    kilobytes: sent.kilobytes,
  };
  let cost = { ...measured, ...(await costOf(attack, [sent])) };
  for (let again = 1; again < TRIES && isDoubtful(cost); again += 1)
    cost = { ...measured, ...(await costOf(attack, [sent])) };
  return cost;
}

/**
 * Sends bodies, and measures the CPU time of the attacked process. With several, how they reach their operation may be part of it. Returns the
 * highest status.
 */
async function costOf(
  attack: Attack,
  bodies: readonly Sent[],
): Promise<Pick<Cost, 'status' | 'cpuMs' | 'longestTurnMs'>> {
  const { service } = attack;
  await attack.reach();
  const before = await service.readUsage();
  service.watchTurns();
  const statuses: number[] = [];
  for (const body of bodies) {
    const status = await send(attack, await attack.reach(), body);
    attack.answered(status, body);
    statuses.push(status);
  }
  const after = await service.readUsage();
  const [longestTurnMs = 0] = after.longestTurnsMs;
  return { status: Math.max(...statuses), cpuMs: after.cpuMs - before.cpuMs, longestTurnMs };
}

function send(
  { service, door }: Attack,
  { path, authorization, headers }: Reaching,
  { encoding, bytes }: Sent,
): Promise<number> {
  return statusOf(`${service.url}${path}`, {
    method: door.method,
    body: bytes,
    headers: {
      ...headers,
      authorization,
      'content-type': door.contentType,
      'content-encoding': encoding,
    },
  });
}

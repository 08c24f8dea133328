import { gzipSync } from 'node:zlib';
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
 * garbage of the body before it (docs/operate/limits.md#cost-of-a-body).
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
export function cheapestOf(attack: Attack, growth: Growth, bytes: number): Promise<Cost> {
  const { encode, honest } = attack.door;
  const body = encode(growth.grow(Math.max(1, bytes - encode(honest).length)));
  const sent = { encoding: 'gzip', bytes: gzipSync(body, FASTEST) } as const;
  return cheapestOfSent(attack, sent, {
    what: `${growth.name}, ${bytes} bytes`,
    kilobytes: body.length / 1000,
  });
}

/** A body that is dear to decode, and has no content. */
export function cheapestOfEncoded(attack: Attack, sent: Encoded): Promise<Cost> {
  const { encoding, bytes } = sent;
  const kilobytes = bytes.length / 1000;
  return cheapestOfSent(attack, sent, { what: `${encoding} of nothing, ${bytes.length} bytes`, kilobytes });
}

const FASTEST = { level: 1 };

export type Encoded = { readonly encoding: 'gzip' | 'deflate'; readonly bytes: Uint8Array };

async function cheapestOfSent(
  attack: Attack,
  sent: Encoded,
  measured: Pick<Cost, 'what' | 'kilobytes'>,
): Promise<Cost> {
  const { method, path, contentType } = attack.door;
  const what = `${method} ${path} (${contentType}), ${measured.what}`;
  let cost = { ...measured, what, ...(await costOf(attack, sent)) };
  for (let again = 1; again < TRIES && (isTooDear(cost) || cost.status >= 500); again += 1)
    cost = { ...cost, ...(await costOf(attack, sent)) };
  return cost;
}

/** Sends a body, and measures the CPU time of the attacked process. */
async function costOf(attack: Attack, sent: Encoded): Promise<Omit<Cost, 'what' | 'kilobytes'>> {
  const { service } = attack;
  const reaching = await attack.reach();
  const before = await service.readUsage();
  service.watchTurns();
  const status = await send(attack, reaching, sent);
  const after = await service.readUsage();
  attack.answered(status);
  const [longestTurnMs = 0] = after.longestTurnsMs;
  return { status, cpuMs: after.cpuMs - before.cpuMs, longestTurnMs };
}

async function send(
  { service, door }: Attack,
  { path, authorization, headers }: Reaching,
  { encoding, bytes }: Encoded,
): Promise<number> {
  const answer = await fetch(`${service.url}${path}`, {
    method: door.method,
    body: new Uint8Array(bytes),
    headers: {
      ...headers,
      authorization,
      'content-type': door.contentType,
      'content-encoding': encoding,
    },
  });
  await answer.arrayBuffer();
  return answer.status;
}

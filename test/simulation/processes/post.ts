import type { Actor } from '../time/schedule.ts';
import type { Request, Surroundings } from './surroundings.ts';

/** One try of a request. `life` is the process that it was sent to. */
export type Try = {
  /** By the clock of the sender. */
  readonly startedAt: number;
  readonly life: Actor;
  /** True time; undefined if it never arrived. */
  arrivedAt: number | undefined;
  /** When the stores of tokens had started last, at the arrival. */
  storesUpSince: { readonly postgres: number; readonly redis: number };
  /** When the process had started. */
  lifeSince: number;
  status: number | undefined;
};

/** Posts a body to one of the processes of ingest, and notes the try. Rejects without an answer. */
export async function postToIngest(world: Surroundings, request: Request, tries: Try[]): Promise<number> {
  const { body, headers, timeoutMs } = request;
  const server = world.chooseIngest();
  const attempt: Try = {
    startedAt: Date.now(),
    life: server.server.actor,
    arrivedAt: undefined,
    storesUpSince: { postgres: 0, redis: 0 },
    lifeSince: server.server.upSince,
    status: undefined,
  };
  tries.push(attempt);
  const sent = { ...request, headers: { ...headers, 'content-length': String(body.byteLength) } };
  attempt.status = await world.network.call<number>(server.server, {
    label: 'post a batch',
    timeoutMs,
    serve: (reply) => {
      attempt.arrivedAt = world.schedule.now;
      attempt.storesUpSince = {
        postgres: world.postgres.server.upSince,
        redis: world.redis.server.upSince,
      };
      server.running?.receive(sent, reply);
    },
  });
  return attempt.status;
}

import { type Unleash, type UnleashRequest, UnleashError } from '#unleash';
import { Engine, type Network, NetworkError } from './network.ts';
import type { Actor, Schedule } from './time/schedule.ts';

/** One attempt to post counts. */
export type Post = {
  readonly features: readonly string[];
  readonly caller: Actor;
  /** What Unleash did; undefined if the request never arrived. */
  status: number | undefined;
  /** Whether the caller got that answer. */
  isAnswered: boolean;
};

type Row = { readonly featureName: string; readonly yes: number; readonly no: number };

/** Unleash, which adds up everything that it receives. */
export class SimulatedUnleash {
  readonly server: Engine;
  /** How it answers: 202, or an error. */
  status = 202;
  /** Evaluations by feature. */
  readonly counted = new Map<string, number>();
  readonly posts: Post[] = [];
  readonly #network: Network;
  readonly #schedule: Schedule;

  constructor({ network, schedule }: { readonly network: Network; readonly schedule: Schedule }) {
    this.server = new Engine('unleash', schedule);
    this.#network = network;
    this.#schedule = schedule;
  }

  /** A client of it, for the present actor. */
  client(): Unleash {
    return { call: (request) => this.#call(request) };
  }

  async #call({ body, timeoutMs, path }: UnleashRequest): Promise<Awaited<ReturnType<Unleash['call']>>> {
    const rows = (body as { readonly metrics: readonly Row[] }).metrics; // of our own post
    const post: Post = {
      features: rows.map(({ featureName }) => featureName),
      caller: this.#schedule.current,
      status: undefined,
      isAnswered: false,
    };
    this.posts.push(post);
    try {
      const status = await this.#network.call<number>(this.server, {
        label: 'post to unleash',
        timeoutMs,
        serve: ({ resolve }) => {
          post.status = this.status;
          if (this.status === 202) for (const row of rows) this.#count(row);
          resolve(this.status);
        },
      });
      post.isAnswered = true;
      return { status, headers: new Headers(), body: Buffer.alloc(0) };
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      const isRefused = error.kind === 'refused';
      post.isAnswered = isRefused;
      const cause = isRefused ? Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) : error;
      throw new UnleashError('unleash-unreached', `Unleash did not answer ${path}.`, { cause });
    }
  }

  #count({ featureName, yes, no }: Row): void {
    this.counted.set(featureName, (this.counted.get(featureName) ?? 0) + yes + no);
  }
}

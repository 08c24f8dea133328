import { type Unleash, type UnleashRequest, UnleashError } from '#unleash/client';
import { Engine, type Network, NetworkError } from './network.ts';
import { type PostedMetric, idsOf } from './samples.ts';
import type { Actor, Schedule } from './time/schedule.ts';

/** One attempt to post counts or samples. */
export type Post = {
  /** The evaluations of features, and how often it has each sample, by feature and by id. */
  readonly counts: ReadonlyMap<string, number>;
  readonly caller: Actor;
  /** The step of the world in which it was sent. */
  readonly sentAt: number;
  /** What Unleash did; undefined if the request never arrived. */
  status: number | undefined;
  /** The step in which the caller got that answer, or learned that nothing was sent. */
  answeredAt: number | undefined;
};

type Row = { readonly featureName: string; readonly yes: number; readonly no: number };
type Body = {
  readonly applications: readonly { readonly appName: string }[];
  readonly metrics: readonly Row[];
  readonly impactMetrics?: readonly PostedMetric[];
};

/** Unleash, which adds up everything that it receives. */
export class SimulatedUnleash {
  readonly server: Engine;
  /** How it answers: 202, or an error. */
  status = 202;
  /** Evaluations by feature, and how often it has each sample. */
  readonly counted = new Map<string, number>();
  /** Names of registered applications. */
  readonly applications = new Set<string>();
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
    const post: Post = {
      counts: countsOf(body as Body), // of our own post
      caller: this.#schedule.current,
      sentAt: this.#schedule.steps,
      status: undefined,
      answeredAt: undefined,
    };
    this.posts.push(post);
    try {
      const status = await this.#network.call<number>(this.server, {
        label: 'post to unleash',
        timeoutMs,
        serve: ({ resolve }) => {
          post.status = this.status;
          if (this.status === 202) this.#accept(body as Body, post); // of our own post
          resolve(this.status);
        },
      });
      post.answeredAt = this.#schedule.steps;
      return { status, headers: new Headers(), body: Buffer.alloc(0) };
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      const isRefused = error.kind === 'refused';
      if (isRefused) post.answeredAt = this.#schedule.steps;
      const cause = isRefused ? Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) : error;
      throw new UnleashError('unleash-unreached', `Unleash did not answer ${path}.`, { cause });
    }
  }

  #accept({ applications }: Body, { counts }: Post): void {
    for (const { appName } of applications) this.applications.add(appName);
    for (const [item, count] of counts) add(this.counted, item, count);
  }
}

function countsOf({ metrics, impactMetrics = [] }: Body): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { featureName, yes, no } of metrics) add(counts, featureName, yes + no);
  for (const id of idsOf(impactMetrics)) add(counts, id, 1);
  return counts;
}

function add(counts: Map<string, number>, item: string, count: number): void {
  counts.set(item, (counts.get(item) ?? 0) + count);
}

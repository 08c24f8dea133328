import { EventEmitter } from 'node:events';
import { createTokenVerifier } from '../../../packages/base/auth/tokens/verifying/token-verifier.ts';
import { type Exchange, HttpProblem } from '#base/http';
import { createMessageProducer, readPartitionCount } from '#core/kafka';
import { Registry, inBackground, readConfig } from '#base/runtime';
import type { Ingest } from '../../../services/ingest/ingest.ts';
import { openIngest } from '../../../services/ingest/open-ingest.ts';
import { createSimulatedKafka } from '../kafka/client.ts';
import { NetworkError, type Reply } from '../network.ts';
import { APPLICATIONS_PARTITIONS } from '../names.ts';
import { settle } from '../time/schedule.ts';
import { type Running, createLog } from './process.ts';
import type { Request, Surroundings } from './surroundings.ts';

export type RunningIngest = Running & {
  receive(request: Request, reply: Reply<number>): void;
  /** The requests for which it reserves room. Not within a promise. */
  requestsInFlight(): number;
};

/** Ingest with the code of services/ingest, but without HTTP. */
export function startIngest(world: Surroundings, name: string): RunningIngest {
  const kafka = createSimulatedKafka(world);
  const log = createLog(world, name);
  const tokens = createTokenVerifier({
    findTokens: (hashes) => world.postgres.find(hashes),
    revocations: world.redis.revocations(),
    log,
  });
  const registry = new Registry();
  const ingest = openIngest({
    config: configOf(world),
    registry,
    log,
    credentials: {
      relayTokens: tokens,
      verifyOnly: tokens,
      relayReadiness: () => undefined,
      uses: { note: () => undefined },
      writeRejected: () => Promise.resolve(),
      rates: { count: () => ({ requests: 1, resetMs: 60_000 }), areShared: () => true },
    },
    broker: {
      ...createMessageProducer(kafka),
      readPartitionCount: (topic) => readPartitionCount(kafka, topic),
    },
  });
  return {
    stop: () => ingest.stop(),
    requestsInFlight: () => readGauge(registry, 'flagmeter_ingest_requests_in_flight'),
    receive(request, reply) {
      inBackground(answer(ingest, request, reply), (error) => {
        world.report(`${name} failed a request: ${String(error)}`);
      });
    },
  };
}

function readGauge(registry: Registry, name: string): number {
  let found: number | undefined;
  const read = async (): Promise<void> => {
    const metric = await registry.getSingleMetric(name)?.get();
    found = metric?.values[0]?.value;
  };
  inBackground(read());
  settle();
  if (found === undefined) throw new Error(`there is no gauge ${name}`);
  return found;
}

const configs = new Map<number, ReturnType<typeof readConfig>>();

function configOf({ partitions }: Surroundings): ReturnType<typeof readConfig> {
  const config =
    configs.get(partitions) ??
    readConfig({
      KAFKA_BROKERS: 'localhost:9092',
      CLICKHOUSE_URL: 'http://localhost:8123',
      DATABASE_URL: 'postgres://localhost/flagmeter',
      REDIS_URL: 'redis://localhost:6379',
      KAFKA_COUNTS_PARTITIONS: String(partitions),
      KAFKA_APPLICATIONS_PARTITIONS: String(APPLICATIONS_PARTITIONS),
    });
  configs.set(partitions, config);
  return config;
}

/** Answers one request with a status, or cuts its connection. */
async function answer(ingest: Ingest, request: Request, reply: Reply<number>): Promise<void> {
  const { ctx, hangUp } = createContext(request, () => {
    reply.reject(new NetworkError('reset'));
  });
  const leaving = setTimeout(hangUp, request.timeoutMs);
  try {
    const handle = ingest.direct.get(request.path);
    if (handle === undefined) throw new Error(`no route for ${request.path}`);
    await handle(ctx);
    if (ctx.respond !== false) reply.resolve(ctx.status);
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    reply.resolve(error.status);
  } finally {
    clearTimeout(leaving);
  }
}

/** What a route of ingest needs of an exchange. */
function createContext(
  { path, headers, body }: Request,
  onCut: () => void,
): { readonly ctx: Exchange; readonly hangUp: () => void } {
  const res = new EventEmitter();
  const ctx = {
    method: 'POST',
    ip: '10.0.0.1',
    headers,
    req: new Body(headers, { path, body, onCut }),
    res,
    status: 404,
    body: undefined as unknown,
    respond: true,
    get: (header: string) => headers[header] ?? '',
    set: () => undefined,
  };
  return {
    ctx: ctx as unknown as Exchange, // only what is used exists
    hangUp: () => {
      res.emit('close');
    },
  };
}

/** A request whose body arrives as soon as somebody reads it. */
class Body extends EventEmitter {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly destroyed = false;
  readonly socket: { readonly destroy: () => void };
  readonly #body: Uint8Array;

  constructor(
    headers: Readonly<Record<string, string>>,
    { path, body, onCut }: { readonly path: string; readonly body: Uint8Array; readonly onCut: () => void },
  ) {
    super();
    this.url = path;
    this.headers = headers;
    this.#body = body;
    this.socket = { destroy: onCut };
  }

  override on(event: string, listener: (...args: never[]) => void): this {
    super.on(event, listener as (...args: unknown[]) => void);
    if (event === 'end')
      queueMicrotask(() => {
        this.emit('data', Buffer.from(this.#body));
        this.emit('end');
      });
    return this;
  }

  pause(): this {
    return this;
  }
}

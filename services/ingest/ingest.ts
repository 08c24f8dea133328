import type { Credentials } from '#base/auth';
import { createTrustedProxies } from '#base/http';
import { CountsEncoder, DistinctNames } from '#core/counting';
import {
  type Config,
  FlagmeterError,
  type Log,
  type Registry,
  type Tracing,
  Troubles,
  untilReached,
  withDeadline,
} from '#base/runtime';
import { Admission } from './admission.ts';
import { type IngestMetrics, createIngestMetrics } from './metrics.ts';
import { type PassThrough, createPassThrough } from './unleash/pass-through/pass-through.ts';
import { type Broker, createKafkaBroker } from './publish/broker.ts';
import { withClockDifference } from './publish/clock-difference.ts';
import { KnownRegistrations } from './publish/known-registrations.ts';
import { type Publisher, createPublisher } from './publish/publisher.ts';
import { createProblemReports } from './problems/report-problems.ts';
import { createReportSender } from './reports/report-sender.ts';
import { type Routes, createRoutes } from './routes.ts';
import { createSeenTokens } from './unleash/seen-tokens.ts';
import { createUnleash } from '#unleash/client';

export type IngestOptions = {
  readonly config: Config;
  readonly credentials: Pick<
    Credentials,
    'relayTokens' | 'relayReadiness' | 'verifyOnly' | 'uses' | 'rates' | 'writeRejected'
  >;
  readonly registry: Registry;
  readonly log: Log;
  /** The default is Kafka. */
  readonly broker?: Broker | undefined;
  /** Undefined if batches are not traced. */
  readonly tracing?: Tracing | undefined;
};

export type Ingest = Omit<Routes, 'reports'> & {
  /** Handles requests for which the router has no path; undefined without UNLEASH_URL. */
  readonly passThrough: Pick<PassThrough, 'middleware' | 'end'> | undefined;
  /** The reason why ingest is not ready; undefined if it is ready. */
  readiness(): string | undefined;
  /** Waits until the outcome of every accepted batch is known. Call it after the last request. */
  stop(): Promise<void>;
};

/** Rejections of the broker are retried for this time, well within the five seconds that a relay waits. */
const RIDE_OUT_MS = 3000;
/** A relay gives up a batch, or merges it into another one, after 32 s. */
const EXPIRY_MS = 30_000;
const FLUSH_DEADLINE_MS = 8000;
/** A short failure of Kafka must not move all traffic to another process, because that process uses the same Kafka. */
const UNREADY_AFTER_MS = 10_000;

/** Receives batches over HTTP and acknowledges each one after Kafka has stored it. */
export function createIngest(options: IngestOptions): Ingest {
  const { config, credentials, registry, log } = options;
  let publisher: Publisher | undefined;
  const admission = new Admission(config.ingest.inFlight);
  const names = new DistinctNames(config.ingest.namesPerHour);
  const knownRegistrations = new KnownRegistrations();
  const metrics = createIngestMetrics(registry, {
    admission,
    names,
    knownRegistrations,
    areRatesShared: () => credentials.rates.areShared(),
    waitingTokens: () => credentials.relayTokens.waiting(),
    openPartitions: () => publisher?.openPartitions() ?? [],
  });
  const broker = options.broker ?? openBroker(options, metrics);
  const stopping = new AbortController();
  const troubles = new Troubles();
  const connecting = untilReached(
    async () => {
      publisher = await connectPublisher({ config, broker, metrics, log, knownRegistrations });
    },
    { engine: 'Kafka', log, signal: stopping.signal, troubles },
  );
  const seenTokens =
    config.unleash && createSeenTokens({ unleash: createUnleash(config.unleash), registry, log });
  const reportOutlet = openReportOutlet(options, metrics);
  const problems = createProblemReports({ write: credentials.writeRejected, metrics, log });
  const { reports, ...routes } = createRoutes({
    ...options,
    metrics,
    seenTokens,
    problems,
    reportSender: reportOutlet.sender,
    receiving: {
      ...{ admission, metrics, names, knownRegistrations },
      encoder: new CountsEncoder(),
      publisher: () => publisher,
      maxBodyBytes: config.ingest.maxBodyBytes,
      limits: config.ingest.limits,
      isUnmirrored: warnIfUnmirrored(config, log, stopping.signal),
      expiryMs: EXPIRY_MS,
    },
  });
  const passThrough = openPassThrough(config, registry, reports);
  return {
    ...routes,
    passThrough,
    readiness: () => readinessOf(publisher, troubles) ?? credentials.relayReadiness(),
    async stop() {
      stopping.abort();
      await connecting;
      await Promise.all([flushInTime(publisher, log), seenTokens?.stop(), problems.close()]);
      publisher?.stop();
      await Promise.all([broker.disconnect(), reportOutlet.close()]);
    },
  };
}

const HOUR_MS = 3_600_000;

/** Whether flagmeter runs in front of Unleash without a mirror. If so, it logs a warning now and every hour. */
function warnIfUnmirrored({ unleash }: Config, log: Log, signal: AbortSignal): boolean {
  if (unleash === undefined || unleash.mirror !== undefined) return false;
  const warn = (): void => {
    log.warn('Unleash gets no counts, impact metrics and applications: the mirror is off');
  };
  warn();
  const timer = setInterval(warn, HOUR_MS).unref();
  signal.addEventListener('abort', () => {
    clearInterval(timer);
  });
  return true;
}

function openPassThrough(
  { unleash, http }: Config,
  registry: Registry,
  reports: Routes['reports'],
): Ingest['passThrough'] {
  if (unleash === undefined) return undefined;
  const { requestTimeoutMs, trustedProxies } = http;
  const { middleware, end } = createPassThrough({
    unleash,
    requestTimeoutMs,
    trustedProxies: createTrustedProxies(trustedProxies),
    registry,
  });
  return { middleware: reports.alongside(middleware), end };
}

function openBroker({ config, log }: IngestOptions, { throttledSeconds }: IngestMetrics): Broker {
  return createKafkaBroker(config, log, {
    onThrottled: (ms) => {
      throttledSeconds.inc(ms / 1000);
    },
  });
}

/** Nothing waits for its topic, but the log says what is wrong with it. */
function openReportOutlet(options: IngestOptions, metrics: IngestMetrics) {
  const { config, log, broker } = options;
  const topic = config.kafka.topics.relayReports;
  const producer = broker ?? openBroker(options, metrics);
  const sender = createReportSender({ producer, topic, metrics, log });
  const closing = new AbortController();
  const look = (): Promise<number> => producer.readPartitionCount(topic);
  // A broker that is given, as in the benchmark, need not have the topic.
  const looking =
    broker === undefined
      ? untilReached(look, { engine: 'Kafka', log, signal: closing.signal })
      : Promise.resolve();
  return {
    sender,
    async close(): Promise<void> {
      closing.abort();
      sender.stop();
      await looking;
      await producer.disconnect();
    },
  };
}

function readinessOf(publisher: Publisher | undefined, troubles: Troubles): string | undefined {
  if (publisher === undefined) return troubles.after('Kafka has not been reached yet.');
  const failingSince = publisher.failingSince();
  const isLasting = failingSince !== undefined && Date.now() - failingSince >= UNREADY_AFTER_MS;
  return isLasting ? 'Kafka is not storing messages at the moment.' : undefined;
}

type Connection = {
  readonly config: Config;
  readonly broker: Broker;
  readonly metrics: IngestMetrics;
  readonly log: Log;
  readonly knownRegistrations: KnownRegistrations;
};

async function connectPublisher(connection: Connection): Promise<Publisher> {
  const { config, broker, metrics, log, knownRegistrations } = connection;
  const { topics, countsPartitions, applicationsPartitions } = config.kafka;
  await Promise.all([
    rejectFewer(broker, topics.counts, countsPartitions),
    rejectFewer(broker, topics.applications, applicationsPartitions),
  ]);
  return createPublisher({
    producer: withClockDifference(broker, (place, aheadMs) => {
      metrics.clockAhead.set({ ...place }, aheadMs / 1000);
    }),
    counts: { topic: topics.counts, partitions: countsPartitions },
    applications: { topic: topics.applications, partitions: applicationsPartitions },
    rideOutMs: RIDE_OUT_MS,
    expiryMs: EXPIRY_MS,
    repeatedMs: config.worker.duplicateWindowMs,
    onSend: (topic, outcome, reason) => {
      metrics.sends.inc({ topic, outcome, reason });
      if (outcome === 'not-stored' || outcome === 'unknown') knownRegistrations.forget();
    },
    onBreaker(change, place) {
      if (change === 'opened') log.warn(place, 'breaker opened');
      else log.info({ topic: place.topic, partition: place.partition }, 'breaker closed');
    },
  });
}

/**
 * The number of partitions comes from the setting, not from the topic, because it decides the partition of each sender. If
 * somebody adds partitions to the topic, a retry must still reach the partition of its first try.
 */
async function rejectFewer(broker: Broker, topic: string, partitions: number): Promise<void> {
  const found = await broker.readPartitionCount(topic);
  if (found < partitions)
    throw new FlagmeterError(
      'partitions',
      `the topic ${topic} has ${found} of ${partitions} partitions: run flagmeter migrate`,
    );
}

/**
 * Waits for open outcomes until the deadline. A relay whose batch has no outcome by then gets no answer and sends the batch
 * again.
 */
async function flushInTime(publisher: Publisher | undefined, log: Log): Promise<void> {
  if (publisher === undefined) return;
  await withDeadline(publisher.flush(), FLUSH_DEADLINE_MS, 'queues not empty in time').catch(
    (err: unknown) => {
      log.warn({ err, bytes: publisher.bytes() }, 'stopped with messages in doubt');
    },
  );
}

import { CountsEncoder, DistinctNames } from '#core/counting';
import {
  type Config,
  FlagmeterError,
  type Log,
  longestMessageBytes,
  Troubles,
  untilReached,
  withDeadline,
} from '#base/runtime';
import { Admission, createVisitors } from './bodies/admission.ts';
import type { Annex, AnnexParts, Fallback } from './annex.ts';
import type { IngestOptions } from './ingest-options.ts';
import { type IngestMetrics, createIngestMetrics } from './metrics.ts';
import { type Broker, createKafkaBroker } from './publish/broker.ts';
import { withClockDifference } from './publish/clock-difference.ts';
import { KnownRegistrations } from './publish/known-registrations.ts';
import { type Publisher, createPublisher } from './publish/publisher.ts';
import { type ProblemReports, createProblemReports } from './problems/report-problems.ts';
import { type Routes, createRoutes } from './routes.ts';
import { createRateLimit } from './tokens/limit-rate.ts';

export type Ingest = Routes & {
  /** Handles requests for which the router has no path. */
  readonly fallback: Fallback | undefined;
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
export function createIngest(options: IngestOptions, open: (parts: AnnexParts) => readonly Annex[]): Ingest {
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
  const problems = createProblemReports({ write: credentials.writeRejected, metrics, log });
  const parts = partsForAnnexes(options, { metrics, problems });
  const annexes = open(parts);
  const routes = createRoutes({
    ...options,
    metrics,
    problems,
    limitRate: parts.limitRate,
    annexes,
    receiving: {
      admission,
      visitors: createVisitors(config.ingest.inFlight, longestMessageBytes(config.ingest.maxBodyBytes)),
      metrics,
      names,
      knownRegistrations,
      encoder: new CountsEncoder(),
      publisher: () => publisher,
      maxBodyBytes: config.ingest.maxBodyBytes,
      limits: config.ingest.limits,
      isUnmirrored: warnIfUnmirrored(config, log, stopping.signal),
      expiryMs: EXPIRY_MS,
    },
  });
  return {
    ...routes,
    fallback: annexes.find(({ fallback }) => fallback !== undefined)?.fallback,
    readiness: () => readinessOf(publisher, troubles) ?? credentials.relayReadiness(),
    async stop() {
      stopping.abort();
      await connecting;
      const ending = annexes.map(({ stop }) => stop?.());
      await Promise.all([flushInTime(publisher, log), problems.close(), ...ending]);
      publisher?.stop();
      await broker.disconnect();
    },
  };
}

function partsForAnnexes(
  options: IngestOptions,
  shared: Pick<AnnexParts, 'metrics'> & { readonly problems: ProblemReports },
): AnnexParts {
  const { config, credentials } = options;
  const limitPerMinute = config.ingest.rateLimitPerMinute;
  return {
    ...options,
    ...shared,
    limitRate: createRateLimit({ rates: credentials.rates, limitPerMinute }),
    openBroker: () => openBroker(options, shared.metrics),
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

function openBroker({ config, log }: IngestOptions, { throttledSeconds }: IngestMetrics): Broker {
  return createKafkaBroker(config, log, {
    onThrottled: (ms) => {
      throttledSeconds.inc(ms / 1000);
    },
  });
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

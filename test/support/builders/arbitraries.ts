import fc from 'fast-check';
import { type Batch, type LogMessage, validateBatch } from '#core/counting';
import { RECEIVED_AT, aLogMessage, aMetric, aPoisonMessage } from './builders.ts';

const HOUR = 3_600_000;

/** Names that may be counted. They are few, so that batches share some. Some are also members of plain objects. */
const goodName = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('new-basket', 'dark mode', '__proto__', 'constructor', '🧺', 'ß') },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
);

const badName = fc.oneof(
  fc.constantFrom('', 'a\u0000b', '\ud800', 'line\nbreak', 'x'.repeat(256)),
  fc.string({ unit: 'binary', maxLength: 300 }),
);

const name = fc.oneof({ weight: 9, arbitrary: goodName }, { weight: 1, arbitrary: badName });

const environment = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('production', 'development', '*') },
  { weight: 1, arbitrary: badName },
);

/** Offset from the receipt. Never within half an hour of the age at which a metric is too old. */
const distance = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: -3 * HOUR, max: HOUR }) },
  { weight: 1, arbitrary: fc.integer({ min: -1000, max: 1000 }).map((hours) => (hours + 0.5) * HOUR) },
);

const count = fc.oneof(
  { weight: 4, arbitrary: fc.nat(1000) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
  { weight: 1, arbitrary: fc.constant(Number.MAX_SAFE_INTEGER) },
);

function metricsAround(receivedAt: number) {
  return fc.record(
    {
      featureName: name,
      appName: name,
      environment,
      timestamp: fc.option(distance.map((ms) => new Date(receivedAt + ms).toISOString())),
      yes: fc.option(count),
      no: fc.option(count),
      variants: fc.option(fc.dictionary(name, fc.option(count), { maxKeys: 4 })),
    },
    { requiredKeys: ['featureName', 'appName', 'environment'] },
  );
}

const application = fc.record(
  {
    appName: name,
    environment: fc.option(environment),
    instanceId: fc.option(fc.oneof(name, fc.constant(''))),
    sdkVersion: fc.option(fc.oneof(name, fc.constant(''))),
    sdkType: fc.option(name),
    platformName: fc.option(fc.oneof(name, fc.constant(7))),
    platformVersion: fc.option(fc.oneof(name, fc.constant(''))),
    yggdrasilVersion: fc.option(name),
    connectVia: fc.option(fc.array(fc.record({ appName: name, instanceId: name }), { maxLength: 3 })),
    strategies: fc.option(fc.array(fc.oneof(name, fc.constant('')), { maxLength: 3 })),
    projects: fc.option(fc.array(fc.oneof(name, fc.constant('')), { maxLength: 3 })),
  },
  { requiredKeys: ['appName'] },
);

/** Batches that fit the schema, as JSON.parse returns them. Some of their metrics must be refused. */
export const batches: fc.Arbitrary<Batch> = batchesAround(RECEIVED_AT);

/** The same for batches that are received at a given moment. */
export function batchesAround(receivedAt: number): fc.Arbitrary<Batch> {
  return fc
    .record({
      applications: fc.array(application, { maxLength: 5 }),
      metrics: fc.array(metricsAround(receivedAt), { maxLength: 20 }),
    })
    .map((body) => parseBatch(JSON.stringify(body)));
}

/** The same batch with its metrics in another order. */
export const reorderedBatches: fc.Arbitrary<readonly [Batch, Batch]> = batches.chain((batch) =>
  fc
    .shuffledSubarray(batch.metrics, { minLength: batch.metrics.length })
    .map((metrics) => [batch, { ...batch, metrics }] as const),
);

function parseBatch(json: string): Batch {
  const result = validateBatch(JSON.parse(json));
  if ('problems' in result)
    throw new Error(`an arbitrary batch breaks the schema: ${JSON.stringify(result)}`);
  return result.batch;
}

type LogOptions = {
  /** The largest time between two appends. */
  readonly stepMs: number;
  /** The largest time that a batch waits between its receipt and its append. */
  readonly disorderMs: number;
  readonly maxMessages?: number;
};

/** A log with repeated batch ids and a few undecodable messages, if all clocks are right. */
export function logs(options: LogOptions): fc.Arbitrary<LogMessage[]> {
  return entriesOf(options).map((entries) => toLog(entries, RIGHT_CLOCKS));
}

/** Such a log, and the same one if the clocks of ingest processes and brokers are wrong by at most so many milliseconds. */
export function logsByTwoClocks(
  options: LogOptions & { readonly wrongMs: number },
): fc.Arbitrary<readonly [right: LogMessage[], wrong: LogMessage[]]> {
  const difference = fc.integer({ min: -options.wrongMs, max: options.wrongMs });
  const clocks = fc.record({
    ingest: fc.array(difference, { minLength: 5, maxLength: 5 }),
    brokers: fc.array(difference, { minLength: 3, maxLength: 3 }),
  });
  return fc
    .tuple(entriesOf(options), clocks)
    .map(([entries, wrong]) => [toLog(entries, RIGHT_CLOCKS), toLog(entries, wrong)] as const);
}

/** How far each clock is ahead. */
type Clocks = { readonly ingest: readonly number[]; readonly brokers: readonly number[] };

const RIGHT_CLOCKS: Clocks = { ingest: [], brokers: [] };
const BATCH_IDS = ['a', 'b', 'c', 'd', 'e'];

type Entry = {
  /** The batch, and the ingest process that takes it at each try. */
  readonly batch: number;
  /** The broker that leads the partition. */
  readonly leader: number;
  readonly stepMs: number;
  readonly waitMs: number;
  readonly yes: number;
  readonly environment: string;
  readonly isPoison: boolean;
};

function entriesOf({ stepMs, disorderMs, maxMessages = 12 }: LogOptions): fc.Arbitrary<Entry[]> {
  const entry = fc.record({
    batch: fc.nat(BATCH_IDS.length - 1),
    leader: fc.constantFrom(0, 0, 0, 1, 2),
    stepMs: fc.nat(stepMs),
    waitMs: fc.nat(disorderMs),
    yes: fc.nat(9),
    environment: fc.constantFrom('production', 'production', 'development'),
    isPoison: fc.constantFrom(false, false, false, false, true),
  });
  return fc.array(entry, { minLength: 1, maxLength: maxMessages });
}

function toLog(entries: readonly Entry[], { ingest, brokers }: Clocks): LogMessage[] {
  let now = RECEIVED_AT;
  return entries.map(({ batch, leader, stepMs, waitMs, yes, environment, isPoison }, offset) => {
    now += stepMs;
    const appendedAt = now + (brokers[leader] ?? 0);
    if (isPoison) return aPoisonMessage({ offset, appendedAt });
    const batchId = BATCH_IDS[batch] ?? '';
    const metrics = [aMetric({ featureName: `flag-${batchId}`, yes, environment, variants: { on: yes } })];
    const receivedAt = now - waitMs + (ingest[batch] ?? 0);
    return aLogMessage({
      offset,
      batchId,
      receivedAt,
      appendedAt,
      metrics,
      allowedEnvironment: 'production',
    });
  });
}

/** A log cut into consecutive blocks. */
export function splitLogs(log: fc.Arbitrary<LogMessage[]>): fc.Arbitrary<LogMessage[][]> {
  return log.chain((messages) => cutsOf(messages).map((cuts) => cutLog(messages, cuts)));
}

/** Whether a block begins at a message, for each of these. */
export function cutsOf(messages: readonly LogMessage[]): fc.Arbitrary<boolean[]> {
  return fc.array(fc.boolean(), { minLength: messages.length, maxLength: messages.length });
}

export function cutLog(messages: readonly LogMessage[], cuts: readonly boolean[]): LogMessage[][] {
  const blocks: LogMessage[][] = [[]];
  for (const [index, message] of messages.entries()) {
    if (cuts[index] === true && index > 0) blocks.push([]);
    blocks.at(-1)?.push(message);
  }
  return blocks;
}

import fc from 'fast-check';
import { type Batch, type LogMessage, validateBatch } from '#counting';
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

/**
 * A log with repeated batch ids and a few undecodable messages. Receipts are out of order by at most so many
 * milliseconds.
 */
export function logs(options: {
  readonly stepMs: number;
  readonly disorderMs: number;
}): fc.Arbitrary<LogMessage[]> {
  const entry = fc.record({
    batchId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    step: fc.nat(options.stepMs),
    lag: fc.nat(options.disorderMs),
    yes: fc.nat(9),
    environment: fc.constantFrom('production', 'production', 'development'),
    isPoison: fc.constantFrom(false, false, false, false, true),
  });
  return fc.array(entry, { minLength: 1, maxLength: 12 }).map((entries) => {
    let now = RECEIVED_AT;
    return entries.map(({ batchId, step, lag, yes, environment, isPoison }, offset) => {
      now += step;
      if (isPoison) return aPoisonMessage({ offset });
      const metrics = [aMetric({ featureName: `flag-${batchId}`, yes, environment, variants: { on: yes } })];
      const receivedAt = now - lag;
      return aLogMessage({
        offset,
        batchId,
        receivedAt,
        appendedAt: now,
        metrics,
        allowedEnvironment: 'production',
      });
    });
  });
}

/** A log cut into consecutive blocks. */
export function splitLogs(log: fc.Arbitrary<LogMessage[]>): fc.Arbitrary<LogMessage[][]> {
  return log.chain((messages) =>
    fc.array(fc.boolean(), { minLength: messages.length, maxLength: messages.length }).map((cuts) => {
      const blocks: LogMessage[][] = [[]];
      for (const [index, message] of messages.entries()) {
        if (cuts[index] === true && index > 0) blocks.push([]);
        blocks.at(-1)?.push(message);
      }
      return blocks;
    }),
  );
}

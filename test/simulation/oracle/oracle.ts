import { decodeCounts } from '#counting';
import type { Ledger } from '#traffic';
import { judgeMirror } from './judge-mirror.ts';
import { judgeTokens } from './judge-tokens.ts';
import type { Content } from '../clickhouse/content.ts';
import type { Try } from '../processes/relay.ts';
import { COUNTS } from '../names.ts';
import type { World } from '../world.ts';

type Attempt = Ledger['deliveries'][number]['attempts'][number];

/** What a relay knows of one body: how often its evaluations must and may be counted. */
type Expected = { readonly must: number; readonly may: number };

/** Everything that must hold when the world is quiet again. */
export function judgeEnd(world: World): string[] {
  const expected = expectedCounts(world);
  return [
    ...unfinished(world),
    ...world.clickhouse.flatMap((server) => [
      ...[...judgeCounts(world, server.content, expected), ...judgeBlocks(world, server.content)].map(
        (text) => `${server.name}: ${text}`,
      ),
    ]),
    ...judgeTokens(world),
    ...judgeApplications(world),
    ...judgeMirror(world),
  ];
}

/** By feature: evaluations of an acknowledged body are counted once; of a body without an answer once or never. */
function expectedCounts({ relays }: World): Map<string, Expected> {
  const expected = new Map<string, Expected>();
  for (const { relay, tries } of relays)
    for (const { metrics, outcome, attempts } of relay.ledger.deliveries) {
      const isUnknown =
        outcome === 'unknown' ||
        (outcome === 'merged-back' && mayBeStored(attempts, tries)) ||
        // The token was revoked between two tries, and the relay drops the body.
        (outcome === 'dropped' && attempts.some(({ status }) => status === undefined));
      for (const { featureName } of metrics) {
        const { must, may } = expected.get(featureName) ?? { must: 0, may: 0 };
        if (outcome === 'acknowledged') expected.set(featureName, { must: must + 1, may: may + 1 });
        else expected.set(featureName, { must, may: may + (isUnknown ? 1 : 0) });
      }
    }
  return expected;
}

/**
 * Whether a body that was rejected at last may be stored: an earlier try without an answer reached another process of ingest, or it
 * arrived after the rejection. No receiver can prevent that. Otherwise a rejection means that no try is stored.
 */
function mayBeStored(attempts: readonly Attempt[], tries: readonly Try[]): boolean {
  const own = attempts.map(({ startedAt }) => tries.filter((one) => one.startedAt === startedAt));
  const last = own.at(-1)?.[0];
  if (attempts.every(({ status }) => status !== undefined)) return false;
  return own.some(([one, other]) => {
    if (one === undefined || last === undefined || other !== undefined) return true;
    return one.life !== last.life || (one.arrivedAt ?? 0) > (last.arrivedAt ?? 0);
  });
}

const TABLES = ['usage_hourly', 'usage_daily'];

function* judgeCounts(
  world: World,
  { evaluations }: Content,
  expected: ReadonlyMap<string, Expected>,
): Generator<string> {
  for (const [feature, { must, may }] of expected) {
    const once = world.recorded.get(feature) ?? 0;
    for (const table of TABLES) {
      const counted = (evaluations.get(`${table} ${feature}`) ?? 0) / once;
      if (counted < must) yield `lost: ${table} has ${feature} ${counted} times, acknowledged ${must} times`;
      if (counted > may) yield `doubled: ${table} has ${feature} ${counted} times, sent at most ${may} times`;
      if (!Number.isInteger(counted)) yield `torn: ${table} has a part of ${feature}`;
    }
  }
}

/** Blocks tile the log, and received = counted + refused + duplicate + dead. */
function* judgeBlocks(world: World, { blocks }: Content): Generator<string> {
  for (let partition = 0; partition < world.partitions; partition += 1) {
    const log = world.brokers.logOf(COUNTS, partition);
    const own = blocks.filter((block) => block.partition === partition).sort((a, b) => a.from - b.from);
    let position = 0;
    let accounted = 0;
    for (const { from, to, tally } of own) {
      if (from !== position)
        yield `blocks of partition ${partition}: one begins at ${from}, the one before ended at ${position}`;
      position = to;
      accounted += tally.received;
      const sum = tally.counted + tally.refused + tally.duplicate + tally.dead;
      if (sum !== tally.received)
        yield `block ${from} of partition ${partition}: received ${tally.received}, explained ${sum}`;
    }
    if (position !== log.replicatedTo)
      yield `partition ${partition} has ${log.replicatedTo} messages, stored are ${position}`;
    const received = log.read(0, Infinity).reduce((sum, { value }) => sum + receivedOf(value), 0);
    if (received !== accounted)
      yield `partition ${partition} received ${received} metrics, accounted are ${accounted}`;
  }
}

function receivedOf(value: Uint8Array | null): number {
  const decoded = decodeCounts(value === null ? null : Buffer.from(value));
  return 'problem' in decoded ? 1 : decoded.message.received;
}

function* unfinished({ relays }: World): Generator<string> {
  for (const relay of relays)
    if (!relay.isFinished()) yield `${relay.name} still has evaluations that nobody acknowledged`;
}

/** Every application of a relay whose token is valid is registered. */
function* judgeApplications({ registered, postgres, relays }: World): Generator<string> {
  const valid = relays.filter(({ token }) => !postgres.revokedAt.has(token.id));
  for (const name of registered)
    if (!postgres.applications.has(name) && valid.some((relay) => name.startsWith(`app-${relay.name}-`)))
      yield `${name} is not registered`;
}

import {
  type Block,
  type BlockRange,
  DuplicateWindow,
  type LogMessage,
  type Metric,
  SeriesStates,
  buildBlock,
} from '#core/counting';
import { type GivenReason, aCountsValue, bytesOf } from '../../../builders/builders.ts';
import { type GivenPoint, aPoint } from '../../../builders/points.ts';
import type { World } from '../../../world.ts';

type Parts = {
  readonly metrics: Metric[];
  readonly impactMetrics?: unknown;
  readonly reasons?: readonly GivenReason[];
  /** Evaluations of each row whose result is unknown. */
  readonly unknown?: number;
  readonly points?: readonly GivenPoint[];
  readonly batchId?: string;
  readonly tokenId?: string;
  /** Whether the project trusts the token, so that its evaluations are evidence. */
  readonly isTrusted?: boolean;
  readonly from?: bigint;
  readonly receivedAt?: number;
  readonly partition?: number;
  readonly appendedAt?: number;
};

/** A block of one message. */
export function aBlock(parts: Parts): Block {
  const {
    metrics,
    impactMetrics,
    reasons = [],
    unknown = 0,
    points = [],
    batchId = 'batch',
    tokenId = 'token',
    isTrusted = false,
    from = 0n,
    receivedAt = Date.now(),
    partition = 0,
  } = parts;
  const { appendedAt = Date.now() } = parts;
  return blockOf(
    { from, partition },
    {
      value: aCountsValue({
        batchId,
        receivedAt,
        tokenId,
        isTrusted,
        metrics,
        impactMetrics,
        reasons,
        unknown,
        points: (sums) => points.map((point) => aPoint(point, sums)),
      }),
      appendedAt,
    },
  );
}

export function aDeadBlock(from: bigint, partition = 0): Block {
  return blockOf({ from, partition }, { value: bytesOf('not a message'), appendedAt: Date.now() });
}

function blockOf(
  place: Pick<BlockRange, 'from' | 'partition'>,
  message: Pick<LogMessage, 'value' | 'appendedAt'>,
): Block {
  const { from } = place;
  const range: BlockRange = { topic: 'counts', epoch: 1, ...place, to: from + 1n };
  const messages = [{ ...message, offset: from }];
  return buildBlock(range, messages, {
    duplicates: new DuplicateWindow(45_000),
    series: new SeriesStates(),
  }).block;
}

/** Sums over every row of every table that an INSERT fills, without the time of storing. */
export async function readFilledTables(world: Pick<World, 'query'>): Promise<Record<string, unknown[]>> {
  const tables = await world.query<{ name: string; engine: string }>(
    `select name, engine
     from system.tables
     where database = currentDatabase()
       and engine like '%MergeTree'
       and name not in ('migrations', 'shard_numbers', 'topic_epochs', 'feature_days')
       and name not like '%\\_copies'
       and not startsWith(name, 'relay')
       and not startsWith(name, '.')
     order by name`,
  );
  const contents = tables.map(async ({ name, engine }) => {
    const isPlain = ['MergeTree', 'ReplicatedMergeTree'].includes(engine);
    const rows = isPlain ? '* except stored_at' : '*';
    const of = isPlain ? name : `${name} final`;
    return [name, await world.query(`select ${rows} from ${of} order by all`)] as const;
  });
  return Object.fromEntries(await Promise.all(contents));
}

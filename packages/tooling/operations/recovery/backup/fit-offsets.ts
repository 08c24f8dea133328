import { decodeIntent } from '#core/counting';
import {
  countMembers,
  createKafka,
  openCommittedOffsets,
  readWatermarks,
  setCommittedOffsets,
} from '#core/kafka';
import { type Config, FlagmeterError, type Log } from '#base/runtime';
import type { Engines } from '../engines.ts';
import type { Manifest } from './manifest.ts';

const KAFKA_DEADLINE_MS = 30_000;
const GROUPS = ['counts', 'applications'] as const;

/** A worker that runs would store blocks in a ClickHouse that is about to be restored. */
export async function failIfWorkersRun(config: Config, log: Log): Promise<void> {
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-operator', retries: 5, log });
  for (const group of GROUPS) {
    const members = await countMembers(kafka, `${config.kafka.groupPrefix}-${group}`);
    if (members === 0) continue;
    throw new FlagmeterError(
      'worker-running',
      `nothing was changed: stop every worker first (${members} run)`,
    );
  }
}

/**
 * The intent of a block belongs to the lost ClickHouse: the restored one has no part of the block and no token, so the worker
 * may store these messages in any block.
 */
export async function dropIntents(engines: Engines): Promise<void> {
  const { topics, groupPrefix } = engines.config.kafka;
  const counts = { groupId: `${groupPrefix}-counts`, topic: topics.counts };
  const intents = new Map<number, bigint>();
  for (const [partition, { offset, metadata }] of await readCommitted(engines, counts))
    if (decodeIntent(metadata) !== undefined) intents.set(partition, offset);
  await setCommittedOffsets(engines.kafka, counts, intents);
}

/** Registrations since the backup are read again, which changes nothing that is stored. */
export async function rewindApplications(engines: Engines, { applications }: Manifest): Promise<void> {
  const { topics, groupPrefix } = engines.config.kafka;
  const registrations = { groupId: `${groupPrefix}-applications`, topic: topics.applications };
  const behind = new Map<number, bigint>();
  for (const [partition, { offset, low }] of await readCommitted(engines, registrations)) {
    const then = BigInt(applications[partition] ?? low);
    if (then < offset) behind.set(partition, then < low ? low : then);
  }
  await setCommittedOffsets(engines.kafka, registrations, behind);
}

type Committed = { readonly offset: bigint; readonly metadata: string | null; readonly low: bigint };

async function readCommitted(
  { kafka, log }: Engines,
  { groupId, topic }: { readonly groupId: string; readonly topic: string },
): Promise<Map<number, Committed>> {
  const watermarks = await readWatermarks(kafka, topic);
  const signal = AbortSignal.timeout(KAFKA_DEADLINE_MS);
  const offsets = await openCommittedOffsets(kafka, { groupId, log, signal });
  try {
    const found = new Map<number, Committed>();
    for (const [partition, { low }] of watermarks) {
      const committed = await offsets.read(topic, partition);
      if (committed !== undefined) found.set(partition, { ...committed, low });
    }
    return found;
  } finally {
    await offsets.close();
  }
}

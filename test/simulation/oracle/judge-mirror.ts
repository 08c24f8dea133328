import { decodeProgress } from '../../../services/unleash-bridge/mirror/progress.ts';
import { COUNTS, MIRROR_GROUP } from '../names.ts';
import type { World } from '../world.ts';

/** Whether the mirror has sent everything. */
export function isMirrored({ brokers, partitions, mirrors }: World): boolean {
  if (mirrors.length === 0) return true;
  const { committed } = brokers.groupOf(MIRROR_GROUP, COUNTS);
  for (let partition = 0; partition < partitions; partition += 1) {
    const progress = decodeProgress(committed.get(partition)?.metadata ?? null);
    const end = BigInt(brokers.logOf(COUNTS, partition).replicatedTo);
    if (end > 0n && (progress?.from !== end || progress.current !== undefined)) return false;
  }
  return true;
}

/**
 * Unleash has each stored evaluation, and more than once only for posts whose outcome was not recorded: those without an answer, and at
 * most one for each time that the partitions changed hands.
 */
export function* judgeMirror(world: World): Generator<string> {
  const { unleash, recorded, mirrors, clickhouse } = world;
  if (mirrors.length === 0) return;
  const unanswered = new Map<string, number>();
  for (const { features, isAnswered, caller } of unleash.posts)
    if (!isAnswered || !caller.isAlive)
      for (const feature of features) unanswered.set(feature, (unanswered.get(feature) ?? 0) + 1);
  const { generation } = world.brokers.groupOf(MIRROR_GROUP, COUNTS);
  for (const [feature, evaluations] of recorded) {
    const stored = (clickhouse[0]?.content.evaluations.get(`usage_hourly ${feature}`) ?? 0) / evaluations;
    const mirrored = (unleash.counted.get(feature) ?? 0) / evaluations;
    if (mirrored < stored)
      yield `not mirrored: Unleash has ${feature} ${mirrored} times, flagmeter ${stored} times`;
    const most = stored + (unanswered.get(feature) ?? 0) + generation - 1;
    if (mirrored > most)
      yield `mirrored too often: Unleash has ${feature} ${mirrored} times, at most ${most} are explained`;
  }
}

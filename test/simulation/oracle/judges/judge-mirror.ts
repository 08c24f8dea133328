import { decodeProgress } from '../../../../services/unleash-bridge/mirror/progress.ts';
import { APPLICATIONS, COUNTS, MIRRORED_APPLICATIONS_GROUP, MIRROR_GROUP } from '../../names.ts';
import type { World } from '../../world.ts';
import { timesStored } from './judge-samples.ts';
import { postsWithCommits } from '../mirror-commits.ts';

/** Whether the mirror has sent everything. */
export function isMirrored({ brokers, partitions, mirrors, mirrorsApplications }: World): boolean {
  if (mirrors.length === 0) return true;
  const group = brokers.groupOf(MIRRORED_APPLICATIONS_GROUP, APPLICATIONS);
  const sent = Number(group.committed.get(0)?.offset);
  if (mirrorsApplications && sent !== brokers.logOf(APPLICATIONS, 0).replicatedTo) return false;
  const { committed } = brokers.groupOf(MIRROR_GROUP, COUNTS);
  for (let partition = 0; partition < partitions; partition += 1) {
    const progress = decodeProgress(committed.get(partition)?.metadata ?? null);
    const end = BigInt(brokers.logOf(COUNTS, partition).replicatedTo);
    if (end > 0n && (progress?.from !== end || progress.current !== undefined)) return false;
  }
  return true;
}

/**
 * Unleash has each stored evaluation with a known result, and each sample, and more than once only for posts whose outcome was not recorded. Each
 * post has a commit of its own, so that a successor knows of it.
 */
export function* judgeMirror(world: World): Generator<string> {
  const { unleash, recorded, measured, mirrors, clickhouse } = world;
  const [server] = clickhouse;
  if (world.mirrorsApplications)
    for (const name of world.postgres.applications)
      if (!unleash.applications.has(name)) yield `not mirrored: Unleash does not know ${name}`;
  if (mirrors.length === 0 || server === undefined) return;
  const { evaluations, unknown } = server.content;
  const posts = postsWithCommits(world);
  for (const { post, isAnnounced } of posts)
    if (!isAnnounced) yield `posted without a commit before: ${[...post.counts.keys()].join(', ')}`;
  const repeated = new Map<string, number>();
  for (const { post, isRecorded } of posts)
    if (post.status === 202 && !isRecorded)
      for (const [item, count] of post.counts) repeated.set(item, (repeated.get(item) ?? 0) + count);
  const judge = function* (item: string, stored: number, mirrored: number): Generator<string> {
    if (mirrored < stored) yield `not mirrored: Unleash has ${mirrored} of ${item}, flagmeter ${stored}`;
    const most = stored + (repeated.get(item) ?? 0);
    if (mirrored > most && measured.get(item)?.kind !== 'gauge')
      yield `mirrored too often: Unleash has ${mirrored} of ${item}, at most ${most} are explained`;
  };
  for (const feature of recorded.keys()) {
    const key = `usage_hourly ${feature}`;
    const stored = (evaluations.get(key) ?? 0) - (unknown.get(key) ?? 0);
    yield* judge(feature, stored, unleash.counted.get(feature) ?? 0);
  }
  for (const sample of measured.values()) {
    if (sample.kind === 'refused') continue;
    const stored = timesStored(server.content, 'impact_hourly', sample);
    yield* judge(sample.id, stored, unleash.counted.get(sample.id) ?? 0);
  }
}

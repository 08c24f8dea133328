import { COUNTS, MIRROR_GROUP } from '../names.ts';
import type { Post } from '../unleash.ts';
import type { World } from '../world.ts';
import { readMessages } from './messages.ts';

type WithCommits = {
  readonly post: Post;
  /** Whether its process committed its progress between its post before, of the same partition, and this one. */
  readonly isAnnounced: boolean;
  /** Whether it committed its progress after the answer, while it still had the partition. */
  readonly isRecorded: boolean;
};

/** The posts of counts and samples, with what the mirror committed around them. */
export function postsWithCommits(world: World): WithCommits[] {
  const { accepted } = world.brokers.groupOf(MIRROR_GROUP, COUNTS);
  const names = namesOfPartitions(world);
  const earlier: { readonly partition: number; readonly post: Post }[] = [];
  const found: WithCommits[] = [];
  for (const post of world.unleash.posts) {
    const { caller, counts, sentAt, answeredAt = Infinity } = post;
    // A post of applications, which need no progress.
    if (counts.size === 0) continue;
    const partition = partitionOf(post, names);
    if (partition === undefined) {
      found.push({ post, isAnnounced: true, isRecorded: false });
      continue;
    }
    const own = accepted.filter((commit) => commit.caller === caller && commit.partition === partition);
    const before = own.findLast(({ at }) => at <= sentAt);
    const after = own.find(({ at }) => at >= answeredAt);
    const last = earlier.findLast((one) => one.post.caller === caller && one.partition === partition);
    found.push({
      post,
      isAnnounced: before !== undefined && before.at > (last?.post.sentAt ?? 0),
      isRecorded: before !== undefined && before.generation === after?.generation,
    });
    earlier.push({ partition, post });
  }
  return found;
}

/** The features and metrics of each partition. */
function namesOfPartitions(world: World): Set<string>[] {
  return Array.from({ length: world.partitions }, (_, partition) => {
    const names = new Set<string>();
    for (const message of readMessages(world.brokers.logOf(COUNTS, partition))) {
      for (const name of message?.names ?? []) names.add(name);
      for (const { name } of message?.impact.samples ?? []) names.add(name);
    }
    return names;
  });
}

/** The only partition with everything in a post. Undefined if there are several: a body with only samples goes to any of them. */
function partitionOf({ counts }: Post, names: readonly ReadonlySet<string>[]): number | undefined {
  const ofItems = Array.from(counts.keys(), (item) => item.replace(/#.*/, ''));
  const candidates = [...names.keys()].filter((index) => ofItems.every((name) => names[index]?.has(name)));
  return candidates.length === 1 ? candidates[0] : undefined;
}

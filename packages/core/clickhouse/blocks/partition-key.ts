import type { BlockRange } from '#core/counting';

/** A Kafka partition in one epoch of its topic. */
export type PartitionKey = Pick<BlockRange, 'topic' | 'epoch' | 'partition'>;

/** The condition for the rows of a partition in `blocks`. The key's members are parameters of the query. */
export const OF_PARTITION =
  'topic = {topic:String} and epoch = {epoch:UInt32} and partition = {partition:UInt32}';

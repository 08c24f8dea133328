import type { BlockRange } from '#counting';

/** One Kafka partition in the life of its topic. */
export type PartitionKey = Pick<BlockRange, 'topic' | 'epoch' | 'partition'>;

/** Condition for the rows of `blocks` of one, whose members are parameters of the query. */
export const OF_PARTITION =
  'topic = {topic:String} and epoch = {epoch:UInt32} and partition = {partition:UInt32}';

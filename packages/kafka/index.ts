/** Our use of Kafka; the only importer of kafkajs. */
export { beginAtEnd } from './begin-at-end.ts';
export * from './client.ts';
export * from './consumer.ts';
export { errorCodeOf, rootCause } from './errors.ts';
export type { Group } from './group.ts';
export { withHeartbeats } from './heartbeats.ts';
export * from './log-reader.ts';
export { LostPartition } from './membership.ts';
export * from './offsets.ts';
export * from './producer.ts';
export { runConsumers } from './run-consumers.ts';
export * from './topic-state.ts';
export {
  type TopicPlan,
  type Watermarks,
  createMissingTopics,
  isMissingTopic,
  readOffsetsAt,
  readPartitionCount,
  readTopics,
  readWatermarks,
  readWatermarksSoon,
} from './topics.ts';
export type { Kafka } from 'kafkajs';

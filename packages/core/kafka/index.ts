/** Our use of Kafka; the only importer of kafkajs. */
export { beginAtEnd } from './consuming/begin-at-end.ts';
export * from './client.ts';
export * from './consuming/consumer.ts';
export { errorCodeOf, rootCause } from './errors.ts';
export type { Group } from './consuming/group.ts';
export { withHeartbeats } from './consuming/heartbeats.ts';
export * from './consuming/log-reader.ts';
export { LostPartition } from './consuming/membership.ts';
export * from './consuming/offsets.ts';
export * from './consuming/set-offsets.ts';
export * from './producing/producer.ts';
export type { OutgoingMessage } from './producing/record-batch.ts';
export { runConsumers } from './consuming/run-consumers.ts';
export * from './topics/topic-state.ts';
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
  rejectHidden,
} from './topics/topics.ts';
export type { Kafka } from 'kafkajs';

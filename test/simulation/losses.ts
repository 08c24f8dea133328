import type { PartitionLog } from './kafka/partition-log.ts';

/** A partition of the counts topic, or of an earlier one that was lost. */
export type CountsLog = {
  readonly epoch: number;
  readonly partition: number;
  readonly log: PartitionLog;
};

/** Messages by their offsets, without the one at the end. */
export type Range = { readonly from: number; readonly to: number };

/** Messages of which an operator knows that they are lost. */
export type Loss = Range & Pick<CountsLog, 'epoch' | 'partition'>;

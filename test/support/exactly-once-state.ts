import type { CountedBatch, LogMessage } from '#domain';
import type { InsertRequests } from './insert-requests.ts';

/**
 * The protocol of the worker (design.md, "Worker") with a small log, Kafka's committed offset, and ClickHouse.
 *
 * | phase   | left by                                                                                         |
 * | ------- | ----------------------------------------------------------------------------------------------- |
 * | out     | joining: reads the committed offset and its metadata, takes the partition from the other worker |
 * | joined  | loading the stored blocks: ready, or stopped when they do not fit the offset                    |
 * | ready   | choosing `to`: before, or insert when an intent chose it                                        |
 * | before  | the commit of the intent: insert, or out when the generation is stale                           |
 * | insert  | sending the INSERT                                                                              |
 * | waiting | a definite answer                                                                               |
 * | after   | the commit of `to`: ready, or out when the generation is stale                                  |
 *
 * A worker crashes (out) at any time and is as slow as the order of steps makes it: one that goes on after the other
 * took the partition is a zombie. A lost answer leaves a worker where it was: it tries again or crashes. A request
 * that was sent is executed never, once or repeatedly, at any later time, by some of the views or by all: lost
 * answers, repeats, partial inserts and requests that outlive their sender are all of this kind.
 */
export type Rules = {
  readonly writesIntent: boolean;
  readonly heedsIntent: boolean;
  readonly sendsToken: boolean;
  readonly insertsBeforeCommit: boolean;
  readonly brokerChecksOwner: boolean;
  readonly repeatsInDoubt: boolean;
  readonly loadsEarlierBlocksOnly: boolean;
  readonly remembersBlocks: boolean;
  readonly alarmsAsOwnerOnly: boolean;
};

export const ALL_RULES: Rules = {
  writesIntent: true,
  heedsIntent: true,
  sendsToken: true,
  insertsBeforeCommit: true,
  brokerChecksOwner: true,
  repeatsInDoubt: true,
  loadsEarlierBlocksOnly: true,
  remembersBlocks: true,
  alarmsAsOwnerOnly: true,
};

export type Worker = {
  readonly phase: 'out' | 'joined' | 'ready' | 'before' | 'insert' | 'waiting' | 'after' | 'stopped';
  /** Whether its generation is the current one. */
  readonly isOwner: boolean;
  readonly from: number;
  readonly to: number;
  /** Of the committed offset, as read at joining. */
  readonly metadata: string;
  readonly known: readonly CountedBatch[];
};

export type State = {
  readonly committed: { readonly offset: number; readonly metadata: string };
  readonly workers: readonly Worker[];
  /** Keys of all requests that ever went out. */
  readonly sent: readonly string[];
  /** What each target table has taken, as keys of requests. */
  readonly tables: readonly (readonly string[])[];
};

export type Model = {
  readonly log: readonly LogMessage[];
  readonly rules: Rules;
  readonly requests: InsertRequests;
};

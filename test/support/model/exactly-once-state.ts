import type { CountedBatch, LogMessage } from '#core/counting';
import type { InsertRequests } from './insert-requests.ts';

/**
 * The protocol of the worker with a small log, Kafka's committed offset, and ClickHouse.
 *
 * | phase   | left by                                                                                         |
 * | ------- | ----------------------------------------------------------------------------------------------- |
 * | out     | joining: reads the committed offset and its metadata, takes over the partition of the other worker |
 * | joined  | loading the stored blocks and opening a session: ready, or stopped if they do not fit the offset |
 * | ready   | choosing `to`: before, or doubt if an intent chose it                                           |
 * | before  | the commit of the intent: insert, or out if the generation is stale                             |
 * | insert  | sending the INSERT: waiting                                                                     |
 * | waiting | an answer: after, or look if the block is being completed; without one: doubt                   |
 * | doubt   | opening a session of the server as it lives now: look                                           |
 * | look    | reading the markers: insert of what is missing, or after if nothing is                          |
 * | after   | the commit of `to`: ready, or out if the generation is stale                                    |
 *
 * A worker crashes (out) at any time and is as slow as the order of steps makes it: one that goes on after the other took
 * the partition is a zombie. A request that was sent is executed never, once or repeatedly, at any later time, by some of
 * the views or by all: lost answers, repeats, partial INSERTs and requests that outlive their sender are all of this kind.
 * A server that is killed within an INSERT keeps of each table the token without the rows, or the rows without the token.
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
  /** Completing a block leaves out the tables whose markers show that they hold it. */
  readonly leavesOutWhatIsMarked: boolean;
  /** If a table ignored a token although its rows are missing, the worker sends them with another token ... */
  readonly triesAnotherToken: boolean;
  /** ... and with a further token if that one was ignored too ... */
  readonly triesFurtherTokens: boolean;
  /** ... and all workers use the same further tokens. */
  readonly agreesOnTokens: boolean;
  /** The server executes a request only in the life in which the session of the request was opened. */
  readonly insertsWithinOneLife: boolean;
  /** The session of an INSERT is older than the intent of its block. */
  readonly opensSessionBeforeIntent: boolean;
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
  leavesOutWhatIsMarked: true,
  triesAnotherToken: true,
  triesFurtherTokens: true,
  agreesOnTokens: true,
  insertsWithinOneLife: true,
  opensSessionBeforeIntent: true,
};

export type Worker = {
  readonly phase:
    | 'out'
    | 'joined'
    | 'ready'
    | 'before'
    | 'insert'
    | 'waiting'
    | 'doubt'
    | 'look'
    | 'after'
    | 'stopped';
  /** Whether the worker's generation is the current one. */
  readonly isOwner: boolean;
  readonly from: number;
  readonly to: number;
  /** Metadata of the committed offset, as read at joining. */
  readonly metadata: string;
  readonly known: readonly CountedBatch[];
  /** The life of the server in which the worker's session was opened. */
  readonly life: number;
  /** How many tokens the worker has tried while it completes a block. */
  readonly tried: number | undefined;
  /** Tables that the next INSERT must fill. */
  readonly missing: readonly number[];
  /** The request that has no answer yet. */
  readonly asked: { readonly key: string; readonly token: string } | undefined;
};

/** A target table: keys of the stored contents, and the remembered tokens. */
export type Table = { readonly parts: readonly string[]; readonly tokens: readonly string[] };

export type State = {
  readonly committed: { readonly offset: number; readonly metadata: string };
  readonly workers: readonly Worker[];
  /** Every write ever sent that may still happen, as one text for each table. */
  readonly sent: readonly string[];
  readonly tables: readonly Table[];
  /** How often the server was killed. */
  readonly life: number;
  /** Tables with a half-written INSERT. The next event is a kill. */
  readonly torn: readonly number[];
};

export type Model = {
  readonly log: readonly LogMessage[];
  readonly rules: Rules;
  readonly kills: number;
  readonly requests: InsertRequests;
};

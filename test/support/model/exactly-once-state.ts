import type { CountedBatch, LogMessage } from '#counting';
import type { InsertRequests } from './insert-requests.ts';

/**
 * The protocol of the worker with a small log, Kafka's committed offset, and ClickHouse.
 *
 * | phase   | left by                                                                                         |
 * | ------- | ----------------------------------------------------------------------------------------------- |
 * | out     | joining: reads the committed offset and its metadata, takes the partition from the other worker |
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
  /** Completing a block leaves out the tables whose markers show it. */
  readonly leavesOutWhatIsMarked: boolean;
  /** What a token kept out although its rows are missing is sent again with another token ... */
  readonly triesAnotherToken: boolean;
  /** ... and with a further one if that was to no avail ... */
  readonly triesFurtherTokens: boolean;
  /** ... and all workers use the same tokens for it. */
  readonly agreesOnTokens: boolean;
  /** The server executes a request only in the life in which its session was opened. */
  readonly insertsWithinOneLife: boolean;
  /** The session of an INSERT is older than its intent. */
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
    'out' | 'joined' | 'ready' | 'before' | 'insert' | 'waiting' | 'doubt' | 'look' | 'after' | 'stopped';
  /** Whether its generation is the current one. */
  readonly isOwner: boolean;
  readonly from: number;
  readonly to: number;
  /** Of the committed offset, as read at joining. */
  readonly metadata: string;
  readonly known: readonly CountedBatch[];
  /** In which life of the server its session was opened. */
  readonly life: number;
  /** While it completes a block: how many tokens it has tried. */
  readonly tried: number | undefined;
  /** Tables that the next INSERT is to fill. */
  readonly missing: readonly number[];
  /** What it sent and has no answer to. */
  readonly asked: { readonly key: string; readonly token: string } | undefined;
};

/** A target table: keys of what it holds, and the tokens that it remembers. */
export type Table = { readonly parts: readonly string[]; readonly tokens: readonly string[] };

export type State = {
  readonly committed: { readonly offset: number; readonly metadata: string };
  readonly workers: readonly Worker[];
  /** What was ever sent and may still be written, a text for each table. */
  readonly sent: readonly string[];
  readonly tables: readonly Table[];
  /** How often the server was killed. */
  readonly life: number;
  /** Tables of which it has half written an INSERT: it will be killed before anything else. */
  readonly torn: readonly number[];
};

export type Model = {
  readonly log: readonly LogMessage[];
  readonly rules: Rules;
  readonly kills: number;
  readonly requests: InsertRequests;
};

import { Turns } from '#base/http';
import { type AdminConnections, STATEMENT_TIMEOUT_MS } from '../../pools.ts';
import { tooManyOfCaller } from './limit-reached.ts';

/** What the requests of an operation use up: connections for changes and single reads, connections for lists, or ClickHouse. */
export type QueueName = 'database' | 'lists' | 'usage';

export type Queues = Readonly<Record<QueueName, Turns>>;

/** Of each caller. A page of a console needs a dozen, and the bodies of those that wait stay in memory. */
const WAITING = { each: 50, all: 500 };
/** As long as a statement may take: changes end one after the other, because the audit is one chain. */
const LONGEST_WAIT_FOR_CHANGES_MS = STATEMENT_TIMEOUT_MS;
/** As long as a request waits for a free connection. */
const LONGEST_WAIT_FOR_LISTS_MS = 2000;
/** Each asks ClickHouse up to three questions at the same time, for which the client has 16 connections. */
const USAGE_AT_ONCE = 2;
const LONGEST_WAIT_FOR_USAGE_MS = 10_000;

/** Leaves half of each engine to others, whatever one caller asks for. Others never wait for that caller's turns. */
export function createQueues({ forChanges, forLists }: AdminConnections): Queues {
  return {
    database: ownPart(Math.ceil(forChanges / 2), LONGEST_WAIT_FOR_CHANGES_MS),
    lists: ownPart(Math.ceil(forLists / 2), LONGEST_WAIT_FOR_LISTS_MS),
    usage: ownPart(USAGE_AT_ONCE, LONGEST_WAIT_FOR_USAGE_MS),
  };
}

function ownPart(each: number, longestWaitMs: number): Turns {
  return new Turns({ working: { each, all: Infinity }, waiting: WAITING, longestWaitMs, tooManyOfCaller });
}

import { Engine, type Reply } from '../network.ts';
import type { Schedule, Scheduled } from '../time/schedule.ts';
import { ClickHouseError } from './clickhouse-error.ts';
import type { Content } from './content.ts';
import { type Part, isOfPartition } from './insert-rows.ts';
import { type CommittedPart, StoredParts } from './stored-parts.ts';

export type Insert = {
  readonly queryId: string;
  readonly sessionId: string | undefined;
  readonly token: string;
  readonly parts: readonly Part[];
};

type Running = { isKilled: boolean; part: Part | undefined; readonly token: string };

/** A call that waits until the replica has all parts of a table. */
type Waiting = { readonly table: string; readonly reply: Reply<undefined>; readonly deadline: Scheduled };

/** The tables that replicas share through Keeper: their parts in the order of the commits, and the tokens of these. */
export class SharedTables {
  readonly parts: CommittedPart[] = [];
  readonly tokens = new Set<string>();
  readonly replicas: ClickHouseServer[] = [];
  /** Of the counts topic. */
  epoch = FIRST_EPOCH;
}

const FIRST_EPOCH = 1;
/** Longest time until a replica has fetched a part. */
const FETCH_MS = 100;
const PART_MS = 4;
const SESSION_MS = 600_000;

/** One server. With `shared` it is a replica, which gets the parts of others later. */
export class ClickHouseServer extends Engine {
  readonly sessions = new Map<string, number>();
  /** A full disk rejects an INSERT within one of its parts. */
  isDiskFull = false;
  isReadOnly = false;
  /** Happens instead of its next write of a part. */
  insteadOfWriting: (() => void) | undefined;
  /** A replica that does not fetch the parts of the others. */
  isLagging = false;
  readonly shared: SharedTables | undefined;
  readonly stored: StoredParts;
  readonly #tables: SharedTables;
  readonly #schedule: Schedule;
  readonly #random: () => number;
  readonly #running = new Map<string, Running>();
  readonly #waiting = new Set<Waiting>();

  constructor(
    name: string,
    world: { readonly schedule: Schedule; readonly random: () => number },
    shared?: SharedTables,
  ) {
    super(name, world.schedule, {
      onKill: () => {
        this.#tear();
      },
    });
    this.#schedule = world.schedule;
    this.#random = world.random;
    this.shared = shared;
    this.#tables = shared ?? new SharedTables();
    this.#tables.replicas.push(this);
    this.stored = new StoredParts(this.#tables.parts);
  }

  /** The other replicas can now fetch what it alone has. */
  override start(): void {
    super.start();
    for (const replica of this.#tables.replicas) replica.#fetchSoon();
  }

  setLagging(isLagging: boolean): void {
    this.isLagging = isLagging;
    this.catchUp();
  }

  /** Answers when this replica has every part of a table that was committed before. */
  sync(table: string, timeoutMs: number, reply: Reply<undefined>): void {
    const deadline = this.#schedule.after(this.actor, timeoutMs, {
      label: 'sync replica takes too long',
      action: () => {
        if (this.#waiting.delete(waiting)) reply.reject(new ClickHouseError('TIMEOUT_EXCEEDED'));
      },
    });
    const waiting = { table, reply, deadline };
    this.#waiting.add(waiting);
    this.catchUp();
  }

  get content(): Content {
    return this.stored.content;
  }

  /** The epoch of the counts topic. */
  get epoch(): number {
    return this.#tables.epoch;
  }

  /** The counts topic is about to be created again. */
  beginEpoch(): void {
    this.#tables.epoch += 1;
  }

  openSession(id: string): void {
    this.sessions.set(id, this.#schedule.now + SESSION_MS);
  }

  /** Fetches the parts that a running replica has. */
  catchUp(): void {
    if (this.isUp && !this.isLagging)
      for (const index of this.stored.missing())
        if (this.#tables.replicas.some(({ isUp, stored }) => isUp && stored.has(index)))
          this.stored.take(index);
    for (const waiting of this.#waiting) {
      if (this.stored.countMissing(waiting.table) > 0) continue;
      this.#waiting.delete(waiting);
      waiting.deadline.isCancelled = true;
      waiting.reply.resolve(undefined);
    }
  }

  /** The replication queue of a table. While a replica lags, it keeps what it has stored itself in it, too. */
  countQueued(table: string): number {
    return this.isLagging ? this.stored.countFromFirstMissing(table) : this.stored.countMissing(table);
  }

  /** Commits a part that this replica then alone has. */
  #commit(part: Part): void {
    this.stored.take(this.#tables.parts.push({ part, storedAt: this.#schedule.now }) - 1);
  }

  insert({ queryId, sessionId, token, parts }: Insert, reply: Reply<undefined>): void {
    if (sessionId !== undefined) {
      if ((this.sessions.get(sessionId) ?? 0) < this.#schedule.now) {
        reply.reject(new ClickHouseError('SESSION_NOT_FOUND'));
        return;
      }
      this.openSession(sessionId);
    }
    if (this.isReadOnly) {
      reply.reject(new ClickHouseError('TABLE_IS_READ_ONLY'));
      return;
    }
    const running: Running = { isKilled: false, part: undefined, token };
    this.#running.set(queryId, running);
    const left = this.#shuffled(parts);
    const end = (error?: ClickHouseError): void => {
      this.#running.delete(queryId);
      if (error === undefined) reply.resolve(undefined);
      else reply.reject(error);
    };
    const next = (): void => {
      running.part = left.pop();
      if (running.part === undefined) {
        end();
        return;
      }
      const { part } = running;
      this.#schedule.after(this.actor, this.#random() * PART_MS, {
        label: `write ${part.table}`,
        action: () => {
          const { insteadOfWriting } = this;
          if (insteadOfWriting !== undefined) {
            this.insteadOfWriting = undefined;
            insteadOfWriting();
          } else if (running.isKilled) end(new ClickHouseError('QUERY_WAS_CANCELLED'));
          else if (this.isDiskFull && this.#random() < 0.3) end(new ClickHouseError('NOT_ENOUGH_SPACE'));
          else {
            this.#write(part, token);
            next();
          }
        },
      });
    };
    next();
  }

  killQuery(queryId: string): void {
    const running = this.#running.get(queryId);
    if (running !== undefined) running.isKilled = true;
  }

  /** As when an operator empties the deduplication window of a table. */
  forgetTokens(table: string): void {
    for (const key of this.#tables.tokens) if (key.startsWith(table)) this.#tables.tokens.delete(key);
  }

  /** A table loses the rows of a Kafka partition, and keeps their tokens. */
  loseRows(table: string, partition: number): void {
    const { parts } = this.#tables;
    const kept = parts.filter(
      ({ part }) => part.table !== table || !part.rows.some((row) => isOfPartition(row, partition)),
    );
    parts.length = 0;
    parts.push(...kept);
    this.stored.readAgain();
  }

  /** A table ignores a token that it has seen in the same month or day. */
  #write(part: Part, token: string): void {
    const key = `${part.target} ${token}`;
    if (this.#tables.tokens.has(key)) return;
    this.#tables.tokens.add(key);
    this.#commit(part);
    for (const replica of this.#tables.replicas) if (replica !== this) replica.#fetchSoon();
  }

  #fetchSoon(): void {
    this.#schedule.after(this.actor, this.#random() * FETCH_MS, {
      label: 'fetch parts',
      action: () => {
        this.catchUp();
      },
    });
  }

  /**
   * A server that is killed while it writes a part keeps the token, the rows, or neither. With Keeper it keeps both or neither.
   * Sessions and running queries are in its memory.
   */
  #tear(): void {
    if (this.shared === undefined)
      for (const { part, token } of this.#running.values()) {
        if (part === undefined) continue;
        const fate = this.#random();
        const key = `${part.target} ${token}`;
        if (this.#tables.tokens.has(key)) continue;
        if (fate < 0.3) this.#tables.tokens.add(key);
        else if (fate < 0.6) this.#commit(part);
      }
    this.#running.clear();
    this.#waiting.clear();
    this.sessions.clear();
  }

  #shuffled(parts: readonly Part[]): Part[] {
    const shuffled = [...parts];
    for (let index = shuffled.length - 1; index > 0; index -= 1) {
      const other = Math.floor(this.#random() * (index + 1));
      const [one, two] = [shuffled[index], shuffled[other]];
      if (one !== undefined && two !== undefined) [shuffled[index], shuffled[other]] = [two, one];
    }
    return shuffled;
  }
}

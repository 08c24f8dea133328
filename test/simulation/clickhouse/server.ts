import { Engine, type Reply } from '../network.ts';
import type { Schedule } from '../time/schedule.ts';
import { Content } from './content.ts';
import { type InsertedRow, type Part, elementOf } from './insert-rows.ts';

/** Errors as the client of ClickHouse throws them. */
export class ClickHouseError extends Error {
  readonly type: string;

  constructor(type: string) {
    super(type);
    this.type = type;
  }
}

export type Insert = {
  readonly queryId: string;
  readonly sessionId: string | undefined;
  readonly token: string;
  readonly parts: readonly Part[];
};

type Running = { isKilled: boolean; part: Part | undefined; readonly token: string };

/** The tables that replicas share through Keeper: their parts in the order of the commits, and the tokens of these. */
export class SharedTables {
  readonly parts: { readonly part: Part; readonly storedAt: number }[] = [];
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
  content = new Content();
  /** A full disk rejects an INSERT within one of its parts. */
  isDiskFull = false;
  isReadOnly = false;
  /** Happens instead of its next write of a part. */
  insteadOfWriting: (() => void) | undefined;
  /** A replica that does not fetch the parts of the others. */
  isLagging = false;
  readonly shared: SharedTables | undefined;
  readonly #tables: SharedTables;
  readonly #schedule: Schedule;
  readonly #random: () => number;
  readonly #running = new Map<string, Running>();
  readonly #waiting = new Set<Reply<undefined>>();
  #applied = 0;

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
  }

  override start(): void {
    super.start();
    this.#fetchSoon();
  }

  setLagging(isLagging: boolean): void {
    this.isLagging = isLagging;
    if (isLagging) return;
    this.catchUp();
    for (const reply of this.#waiting) reply.resolve(undefined);
    this.#waiting.clear();
  }

  /** Answers when this replica has every part that was committed before. */
  sync(isComplete: boolean, reply: Reply<undefined>): void {
    if (isComplete && this.isLagging) this.#waiting.add(reply);
    else {
      if (isComplete) this.catchUp();
      reply.resolve(undefined);
    }
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

  /** Parts that other replicas committed and this one has not fetched. */
  get missing(): number {
    return this.#tables.parts.length - this.#applied;
  }

  catchUp(): void {
    for (; this.#applied < this.#tables.parts.length; this.#applied += 1) {
      const next = this.#tables.parts[this.#applied];
      if (next !== undefined) this.content.add(next.part, next.storedAt);
    }
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
          if (this.insteadOfWriting !== undefined) {
            this.insteadOfWriting();
            this.insteadOfWriting = undefined;
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
    this.content = new Content();
    this.#applied = 0;
    parts.push(...kept);
    this.catchUp();
  }

  /** A table ignores a token that it has seen in the same month. */
  #write(part: Part, token: string): void {
    const key = `${part.target} ${token}`;
    if (this.#tables.tokens.has(key)) return;
    this.#tables.tokens.add(key);
    this.#tables.parts.push({ part, storedAt: this.#schedule.now });
    for (const replica of this.#tables.replicas) {
      if (replica === this) this.catchUp();
      else replica.#fetchSoon();
    }
  }

  #fetchSoon(): void {
    this.#schedule.after(this.actor, this.#random() * FETCH_MS, {
      label: 'fetch parts',
      action: () => {
        if (!this.isLagging) this.catchUp();
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
        else if (fate < 0.6) this.#tables.parts.push({ part, storedAt: this.#schedule.now });
      }
    if (this.shared === undefined) this.catchUp();
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

function isOfPartition(row: InsertedRow, partition: number): boolean {
  const marker = /:(\d+)$/.exec(String(row.get('app_name')))?.[1];
  const ranges = ['block', 'counter'].map((column) => elementOf(row, column)['partition']);
  return ranges.includes(partition) || marker === String(partition);
}

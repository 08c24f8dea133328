import type { Event } from '#contract';
import { EVENT_COLUMNS, type EventRow, toEvent } from './event-rows.ts';
import type { Postgres, PostgresClient } from './postgres.ts';

/** All events of a query, a page at a time. Whoever does not iterate must call `return` on the iterator. */
export type EventPages = AsyncGenerator<Event[], void, void>;

export type PagesOptions = {
  readonly column: 'project' | 'feature_name';
  readonly value: string;
  /** Asked before a connection is kept for further pages; false when enough are kept already. */
  readonly hold: () => boolean;
  readonly release: () => void;
};

const PAGE_ROWS = 500;

/** Thrown when too many large lists of events are being read at once. */
export class TooManyStreamsError extends Error {}

/**
 * Reads events from a cursor in one snapshot, so that memory does not grow with their number. What fits in one page
 * keeps no connection. Postgres ends the transaction of a reader that stalls for 15 s.
 */
export async function openEventPages(db: Postgres, options: PagesOptions): Promise<EventPages> {
  const client = await db.connect();
  let first: Event[];
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query(
      `declare pages no scroll cursor for
       select ${EVENT_COLUMNS}
       from events
       where ${options.column} = $1
       order by created_at desc, id desc`,
      [options.value],
    );
    first = await fetchPage(client);
    if (first.length < PAGE_ROWS) await client.query('commit');
  } catch (error) {
    client.release(true);
    throw error;
  }
  if (first.length < PAGE_ROWS) {
    client.release();
    return onePage(first);
  }
  if (!options.hold()) {
    client.release(true);
    throw new TooManyStreamsError('too many large lists of events are being read');
  }
  const generator = followingPages(client, first, options.release);
  // A generator that is returned before its first step runs no `finally`: let it step into its `try`.
  await generator.next();
  return generator;
}

// eslint-disable-next-line @typescript-eslint/require-await -- of the same type as pages that are waited for
async function* onePage(events: Event[]): EventPages {
  yield events;
}

async function* followingPages(client: PostgresClient, first: Event[], onRelease: () => void): EventPages {
  let isComplete = false;
  // A connection that breaks while nothing is asked of it would otherwise end the process.
  const ignore = (): undefined => undefined;
  client.on('error', ignore);
  try {
    yield [];
    yield first;
    for (let page = await fetchPage(client); page.length > 0; page = await fetchPage(client)) yield page;
    await client.query('commit');
    isComplete = true;
  } finally {
    client.off('error', ignore);
    client.release(!isComplete);
    onRelease();
  }
}

async function fetchPage(client: PostgresClient): Promise<Event[]> {
  const { rows } = await client.query<EventRow>(`fetch ${PAGE_ROWS} from pages`);
  return rows.map(toEvent);
}

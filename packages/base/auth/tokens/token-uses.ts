import { type Postgres, isAhead } from '#base/postgres';
import type { Log } from '#base/runtime';

/** The first use of a token is written soon, later ones once a minute. */
const FIRST_MS = 1000;
const BETWEEN_MS = 60_000;
/** Further uses are dropped until the next write. */
const MAX_HELD = 10_000;

/** Records when tokens were last used, outside the hot path. A crash loses the uses of the last minute. */
export type TokenUses = {
  /**
   * Records a use of the token with this secret hash, by a client with this address. Without one, only a relay has seen the token.
   * Ignored if there is no such token.
   */
  note(secretHash: string, address?: string): void;
  /** Writes the remaining uses. */
  close(): Promise<void>;
};

/** Epoch milliseconds. */
type Use = { at: number; ipv4At: number | undefined; ipv6At: number | undefined };

/**
 * States: idle -> waiting (a use was noted; the timer runs) -> writing -> idle. It returns to waiting if uses were noted during
 * the write, or if the write failed.
 */
export function createTokenUses(db: Postgres, log: Log): TokenUses {
  let held = new Map<string, Use>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let writtenAt = -Infinity;

  const wake = (): void => {
    timer ??= setTimeout(
      startWriting,
      Math.max(FIRST_MS, writtenAt + BETWEEN_MS - performance.now()),
    ).unref();
  };
  const write = async (): Promise<void> => {
    const uses = held;
    held = new Map();
    timer = undefined;
    writtenAt = performance.now();
    try {
      if (uses.size > 0) await writeUses(db, uses);
    } catch (err) {
      log.warn({ err, tokens: uses.size }, 'uses of tokens not written');
      for (const [secretHash, use] of uses) if (!held.has(secretHash)) held.set(secretHash, use);
      wake();
    }
  };
  const writeAfter = async (earlier: Promise<void>): Promise<void> => {
    await earlier;
    await write();
  };
  const startWriting = (): void => {
    writing = writeAfter(writing);
  };

  return {
    note(secretHash, address) {
      const use = held.get(secretHash) ?? { at: 0, ipv4At: undefined, ipv6At: undefined };
      use.at = Date.now();
      // As `addressOf` writes them; a proxy may leave an unknown address empty.
      if (address?.includes(':') === true) use.ipv6At = use.at;
      else if (address?.includes('.') === true) use.ipv4At = use.at;
      if (held.size < MAX_HELD) held.set(secretHash, use);
      wake();
    },
    async close() {
      clearTimeout(timer);
      startWriting();
      await writing;
      clearTimeout(timer);
    },
  };
}

/** Writes a row at most once a minute, however many processes see the token. It skips rows that another process is writing. */
async function writeUses(db: Postgres, uses: ReadonlyMap<string, Use>): Promise<void> {
  const columnOf = (member: keyof Use) =>
    [...uses.values()].map(({ [member]: at }) => (at === undefined ? null : new Date(at)));
  const values = [[...uses.keys()], columnOf('at'), columnOf('ipv4At'), columnOf('ipv6At')];
  for (const table of ['api_tokens', 'personal_access_tokens'])
    await db.query(
      `with due as (
         select t.id, used.*
         from ${table} as t
         join unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[])
           as used (secret_hash, used_at, ipv4_at, ipv6_at) using (secret_hash)
         where ${isOlder('t.seen_at', 'used_at')}
            or ${isOlder('t.seen_ipv4_at', 'ipv4_at')}
            or ${isOlder('t.seen_ipv6_at', 'ipv6_at')}
         for update of t skip locked
       )
       update ${table} as t
       set seen_at = ${laterOf('t.seen_at', 'due.used_at')},
         seen_ipv4_at = ${laterOf('t.seen_ipv4_at', 'due.ipv4_at')},
         seen_ipv6_at = ${laterOf('t.seen_ipv6_at', 'due.ipv6_at')}
       from due
       where t.id = due.id`,
      values,
    );
}

/** False if there was no such use. A use of the future, because a clock was ahead, is replaced. */
function isOlder(column: string, use: string): string {
  return `coalesce(${column}, '-infinity') < ${use} - interval '1 minute' or ${isAhead(column)} and ${use} is not null`;
}

function laterOf(column: string, use: string): string {
  return `greatest(case when ${column} <= now() then ${column} end, ${use})`;
}

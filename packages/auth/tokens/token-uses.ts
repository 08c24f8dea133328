import type { Postgres } from '#postgres';
import type { Log } from '#runtime';

/** The first use of a token is written soon, later ones once a minute. */
const FIRST_MS = 1000;
const BETWEEN_MS = 60_000;
/** Further uses are dropped until the next write. */
const MAX_HELD = 10_000;

/** Records when tokens were last used, outside the hot path. A crash loses the uses of the last minute. */
export type TokenUses = {
  /** Records a use of the token with this secret hash; ignored if there is no such token. */
  note(secretHash: string): void;
  /** Writes the remaining uses. */
  close(): Promise<void>;
};

/**
 * States: idle -> waiting (a use was noted; the timer runs) -> writing -> idle. It returns to waiting if uses were noted during
 * the write, or if the write failed.
 */
export function createTokenUses(db: Postgres, log: Log): TokenUses {
  let held = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let writtenAt = 0;

  const hold = (secretHash: string, at: number): void => {
    if (held.size < MAX_HELD || held.has(secretHash)) held.set(secretHash, at);
    timer ??= setTimeout(startWriting, Math.max(FIRST_MS, writtenAt + BETWEEN_MS - Date.now())).unref();
  };
  const write = async (): Promise<void> => {
    const uses = held;
    held = new Map();
    timer = undefined;
    writtenAt = Date.now();
    try {
      if (uses.size > 0) await writeUses(db, uses);
    } catch (err) {
      log.warn({ err, tokens: uses.size }, 'uses of tokens not written');
      for (const [secretHash, at] of uses) if (!held.has(secretHash)) hold(secretHash, at);
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
    note(secretHash) {
      hold(secretHash, Date.now());
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
async function writeUses(db: Postgres, uses: ReadonlyMap<string, number>): Promise<void> {
  await db.query(
    `with due as (
       select t.id, used.seen_at
       from api_tokens as t
       join unnest($1::text[], $2::timestamptz[]) as used (secret_hash, seen_at) using (secret_hash)
       where t.seen_at is null
          or t.seen_at < used.seen_at - interval '1 minute'
       for update of t skip locked
     )
     update api_tokens as t
     set seen_at = due.seen_at
     from due
     where t.id = due.id`,
    [[...uses.keys()], [...uses.values()].map((at) => new Date(at))],
  );
}

/** The user of the queries, and the address of ClickHouse. */
export type ClickHouseAccess = { readonly url: string; readonly username: string; readonly password: string };

/** Each row takes a tenth of a second. */
const SLOWLY = 'settings max_block_size = 1, max_threads = 1 format Null';

/** Occupies a query slot of its user for so long, with almost no memory. */
export function holdAPlace(seconds: number): string {
  return `select sleepEachRow(0.1) from numbers(${10 * seconds}) ${SLOWLY}`;
}

/** Occupies 170 MB for so long, with a set of 170 long texts, which costs less CPU than one of many numbers. */
export function holdMemory(seconds: number): string {
  const texts = `select concat(repeat('x', 1000000), toString(number)) from numbers(170)`;
  return `select sleepEachRow(0.1) from numbers(${10 * seconds}) where toString(number) not in (${texts}) ${SLOWLY}`;
}

export type Asking = {
  tally(): Tally;
  /** The tally of all queries. */
  readonly ended: Promise<Tally>;
};

type Tally = Readonly<Record<string, number>>;

/**
 * Sends a query many times at once, as a user of ClickHouse who may send any query. The tally counts finished
 * queries: `done`, or the first words of ClickHouse's error.
 */
export function askManyTimes(access: ClickHouseAccess, count: number, query: string): Asking {
  const tally: Record<string, number> = {};
  const ask = async (): Promise<void> => {
    const fate = await fateOf(access, query);
    tally[fate] = (tally[fate] ?? 0) + 1;
  };
  const askAll = async (): Promise<Tally> => {
    await Promise.all(Array.from({ length: count }, ask)); // None rejects.
    return tally;
  };
  return { tally: () => tally, ended: askAll() };
}

async function fateOf({ url, username, password }: ClickHouseAccess, query: string): Promise<string> {
  const headers = { 'x-clickhouse-user': username, 'x-clickhouse-key': password };
  try {
    const answer = await fetch(url, { method: 'POST', body: query, headers });
    const [, error = 'done'] = /DB::Exception: ([^:.]+)/.exec(await answer.text()) ?? [];
    return error;
  } catch {
    return 'none';
  }
}

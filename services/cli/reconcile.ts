import { openBooks } from '#books';
import { type Accounting, type Difference, sumTallies } from '#domain';
import { type Config, createLog } from '#runtime';

/** Prints the books; gives whether they agree. */
export async function reconcile(config: Config, asJson: boolean): Promise<boolean> {
  // Warnings of kafkajs would stand in the middle of the JSON.
  const books = openBooks(config, createLog('cli', 'error'));
  try {
    const { accounting, differences } = await books.readAgreed();
    if (asJson) console.log(JSON.stringify({ ...accounting, differences }, bigintsAsStrings, 2));
    else printBooks(accounting, differences);
    return differences.length === 0;
  } finally {
    await books.close();
  }
}

function printBooks(accounting: Accounting, differences: readonly Difference[]): void {
  console.table(
    accounting.partitions.map(({ topic: _topic, from, to, inFlight, ...account }) => ({
      ...account,
      from: Number(from),
      to: Number(to),
      inFlight: Number(inFlight),
    })),
  );
  const { received, counted, refused, duplicate, dead } = sumTallies(accounting.partitions);
  console.log(
    `received = counted + refused + duplicate + dead: ${received} = ${counted} + ${refused} + ${duplicate} + ${dead}`,
  );
  for (const { place, text } of differences) console.log(`  ${place}: ${text}`);
  const days = new Set(accounting.days.map(({ day }) => day)).size;
  console.log(
    differences.length === 0
      ? `The books agree: blocks tile the log, and blocks and usage tables hold the same sums on ${days} days.`
      : `The books do not agree: ${differences.length} differences.`,
  );
}

function bigintsAsStrings(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

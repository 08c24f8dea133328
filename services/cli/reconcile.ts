import { openBooks } from '#books';
import { type Accounting, type Difference, sumTallies } from '#domain';
import { type Config, createLog } from '#runtime';
import type { DeadLetterAccount } from '#stores';

/** Prints the books; gives whether they agree. */
export async function reconcile(config: Config, asJson: boolean): Promise<boolean> {
  // Warnings of kafkajs would stand in the middle of the JSON.
  const books = openBooks(config, createLog('cli', 'error'));
  try {
    const { accounting, differences } = await books.readAgreed();
    const deadLetters = await books.readDeadLetters();
    if (asJson) {
      console.log(JSON.stringify({ ...accounting, deadLetters, differences }, bigintsAsStrings, 2));
    } else {
      printBooks(accounting, differences);
      printDeadLetters(deadLetters);
    }
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

function printDeadLetters({ dead, open, replayed, dropped, ...metrics }: DeadLetterAccount): void {
  if (dead + replayed + dropped === 0) return;
  const { received, counted, refused, duplicate } = metrics;
  console.log(`dead letters = open + replayed + dropped: ${dead} = ${open} + ${replayed} + ${dropped}`);
  if (replayed === 0) return;
  console.log(
    `  replayed: received = counted + refused + duplicate: ${received} = ${counted} + ${refused} + ${duplicate}`,
  );
}

function bigintsAsStrings(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

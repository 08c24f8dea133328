import {
  type Accounting,
  AccountingUnavailableError,
  type ComparedAccounting,
  type Difference,
} from '#core/accounting';
import { openWholeAccounting } from '#unleash/history';
import { type Config, type Log, amountOf } from '#base/runtime';
import { type Finding, type Judgement, fail, notMade, ok } from '../finding.ts';

const MAX_LISTED = 3;

/** Compares the accounting as `flagmeter reconcile` does. Each of its reads has its own deadline. */
export async function examineAccounting(config: Config, log: Log): Promise<Finding> {
  const accounting = openWholeAccounting(config, log);
  try {
    return { check: 'accounting', ...judgeAccounting(await accounting.readAgreed()) };
  } catch (error) {
    if (!(error instanceof AccountingUnavailableError)) throw error;
    return { check: 'accounting', ...notMade(error.message) };
  } finally {
    await accounting.close();
  }
}

type Compared = {
  readonly accounting: Pick<Accounting, 'partitions'>;
  readonly differences: readonly Pick<Difference, 'subject' | 'text'>[];
  readonly deadLetters: Pick<ComparedAccounting['deadLetters'], 'open'>;
};

export function judgeAccounting({ accounting, differences, deadLetters }: Compared): Judgement {
  if (differences.length > 0) {
    const listed = differences.slice(0, MAX_LISTED).map(({ subject, text }) => `${subject}: ${text}`);
    const others = differences.length - listed.length;
    return fail(
      `The numbers disagree: ${listed.join('; ')}${others > 0 ? `; and ${others} more` : ''}.`,
      'Run flagmeter reconcile, which lists all differences.',
    );
  }
  const { partitions } = accounting;
  const received = partitions.reduce((sum, partition) => sum + partition.received, 0);
  const inFlight = partitions.reduce((sum, partition) => sum + partition.inFlight, 0n);
  return ok(
    `The numbers agree: ${amountOf(received, 'metric')} received, ${amountOf(inFlight, 'message')} in flight, ${amountOf(deadLetters.open, 'open dead letter')}.`,
  );
}

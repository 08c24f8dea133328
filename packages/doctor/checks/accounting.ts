import { AccountingUnavailableError, openAccounting } from '#accounting';
import type { Config, Log } from '#runtime';
import { type Finding, type Verdict, fail, ok } from '../finding.ts';

const MAX_LISTED = 3;

/** Compares the accounting as `flagmeter reconcile` does. Each of its reads has a deadline of its own. */
export async function examineAccounting(config: Config, log: Log): Promise<Finding> {
  const accounting = openAccounting(config, log);
  try {
    return { check: 'accounting', ...judge(await accounting.readAgreed()) };
  } catch (error) {
    if (!(error instanceof AccountingUnavailableError)) throw error;
    return {
      check: 'accounting',
      ...fail(error.message, 'Run flagmeter reconcile when the cause is removed.'),
    };
  } finally {
    await accounting.close();
  }
}

type Compared = Awaited<ReturnType<ReturnType<typeof openAccounting>['readAgreed']>>;

function judge({ accounting: { partitions }, differences, deadLetters }: Compared): Verdict {
  if (differences.length > 0) {
    const listed = differences.slice(0, MAX_LISTED).map(({ place, text }) => `${place}: ${text}`);
    const others = differences.length - listed.length;
    return fail(
      `The numbers disagree: ${listed.join('; ')}${others > 0 ? `; and ${others} more` : ''}.`,
      'Run flagmeter reconcile, which lists all differences.',
    );
  }
  const received = partitions.reduce((sum, partition) => sum + partition.received, 0);
  const inFlight = partitions.reduce((sum, partition) => sum + partition.inFlight, 0n);
  return ok(
    `The numbers agree: ${received} metrics received, ${inFlight} messages in flight, ${deadLetters.open} open dead letters.`,
  );
}

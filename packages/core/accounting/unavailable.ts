import { isNotSetUp } from '#core/clickhouse';
import { isMissingTopic, rootCause } from '#core/kafka';
import { FlagmeterError, explainTrouble, isAccessDenied, sentenceOf, withDeadline } from '#base/runtime';

/** The accounting cannot be read, so it is unknown whether it agrees. The message is a sentence for an operator. */
export class AccountingUnavailableError extends FlagmeterError {
  constructor(message: string, cause?: unknown) {
    super('accounting-unavailable', message, { cause });
  }
}

/** The result of work with an engine. Throws an AccountingUnavailableError if the work fails or takes longer than `deadlineMs`. */
export async function readEngine<T>(
  engine: 'ClickHouse' | 'Kafka' | 'Postgres',
  work: Promise<T>,
  deadlineMs: number,
): Promise<T> {
  try {
    return await withDeadline(
      work,
      deadlineMs,
      `no answer within ${Number((deadlineMs / 1000).toFixed(1))} s`,
    );
  } catch (cause) {
    throw new AccountingUnavailableError(explain(engine, cause), cause);
  }
}

function explain(engine: string, error: unknown): string {
  if (isNotSetUp(error) || isMissingTopic(error))
    return `${engine} is not set up for flagmeter: run "flagmeter migrate".`;
  const cause = rootCause(error);
  if (isAccessDenied(error) || isWithoutCoordinator(cause)) return explainTrouble('Kafka', error);
  const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  return `${engine} cannot be read, so the accounting cannot be compared: ${sentenceOf(reason.slice(0, 300) || 'connection refused')}`;
}

/** Also if Kafka denies access to the group: the client does not say which of the two it is. */
function isWithoutCoordinator(error: unknown): boolean {
  return error instanceof Error && error.name === 'KafkaJSGroupCoordinatorNotFound';
}

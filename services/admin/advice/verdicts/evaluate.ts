import type { AccountingReader } from '#core/accounting';
import { amountOf } from '#base/runtime';
import type { Finding, Findings } from './store/record-findings.ts';
import type { SilentRelay } from './store/silent-relays.ts';
import type { VerdictsStore } from './store.ts';
import {
  APP_VERDICTS,
  DEFAULT_THRESHOLDS,
  FEATURE_VERDICTS,
  INSTALLATION_VERDICTS,
  RELAY_VERDICTS,
} from './thresholds.ts';

/** More verdicts than these are not followed; while there are more, none ends. */
const MAX_VERDICTS = 10_000;

/** The verdicts on features and applications that hold now. */
export async function findVerdicts(verdicts: VerdictsStore): Promise<Findings> {
  const filter = { visible: undefined, limit: MAX_VERDICTS };
  const { verdicts: list, totals } = await verdicts.list(filter, DEFAULT_THRESHOLDS);
  const found = list.map(({ featureName, appName, environment, verdict, sentence, since, evaluations }) => ({
    subjectType: featureName === null ? ('application' as const) : ('feature' as const),
    subject: featureName ?? appName ?? '',
    environment,
    verdict,
    sentence,
    since,
    evaluations,
  }));
  return {
    subjectTypes: ['feature', 'application'],
    verdicts: [...FEATURE_VERDICTS, ...APP_VERDICTS],
    found: firstOfEach(found),
    isComplete: totals.reduce((sum, { total }) => sum + total, 0) === list.length,
  };
}

/** The relays that fell silent. */
export function findSilentRelays(relays: readonly SilentRelay[]): Findings {
  const found = relays.map(({ name, environment, lastReportAt }) => ({
    subjectType: 'relay' as const,
    subject: name,
    environment,
    verdict: 'relay_silent',
    sentence: `It reported last at ${lastReportAt.toISOString()}.`,
    since: lastReportAt.toISOString(),
    evaluations: null,
  }));
  return { subjectTypes: ['relay'], verdicts: RELAY_VERDICTS, found: firstOfEach(found), isComplete: true };
}

/** Whether the accounting differs, and whether dead letters wait for an operator. Only the last two days are compared. */
export async function findTroubles(accounting: Pick<AccountingReader, 'readAgreed'>): Promise<Findings> {
  const since = Date.now() - 2 * 24 * 3_600_000;
  const { differences, deadLetters } = await accounting.readAgreed({ since });
  const now = new Date().toISOString();
  const troubles = {
    accounting_differs:
      differences.length > 0 && `${differences[0]?.text ?? ''} flagmeter reconcile shows all differences.`,
    dead_letters:
      deadLetters.open > 0 &&
      `${amountOf(deadLetters.open, 'message')} could not be decoded. flagmeter dead list shows them.`,
  } satisfies Record<(typeof INSTALLATION_VERDICTS)[number], string | false>;
  const found = Object.entries(troubles).flatMap(([verdict, sentence]) =>
    sentence === false
      ? []
      : {
          subjectType: 'installation' as const,
          subject: '',
          environment: '',
          evaluations: null,
          verdict,
          sentence,
          since: now,
        },
  );
  return { subjectTypes: ['installation'], verdicts: INSTALLATION_VERDICTS, found, isComplete: true };
}

/** An application can have a verdict twice, for two reasons. */
function firstOfEach(found: readonly Finding[]): Finding[] {
  const byKey = new Map<string, Finding>();
  for (const finding of found) {
    const key = JSON.stringify([finding.subjectType, finding.subject, finding.environment, finding.verdict]);
    if (!byKey.has(key)) byKey.set(key, finding);
  }
  return [...byKey.values()];
}

import type { Config, Log } from '#runtime';
import { examineAccounting } from './checks/accounting.ts';
import { examineOwnCertificate } from './checks/own-certificate.ts';
import { clickHouseExamination } from './engines/clickhouse.ts';
import { kafkaExamination } from './engines/kafka.ts';
import { postgresExamination } from './engines/postgres.ts';
import { redisExamination } from './engines/redis.ts';
import { type Finding, examineEngine } from './finding.ts';

/** The time of this host, in epoch milliseconds. */
export type Now = () => number;

/**
 * Examines the engines, and what flagmeter keeps in them. It changes nothing. It takes seconds, or a minute if engines do
 * not answer.
 */
export async function examine(config: Config, log: Log, now: Now = Date.now): Promise<Finding[]> {
  // Each finding names the problem, so that clients need not log it as well.
  const quiet = log.child({}, { level: 'silent' });
  const findings = await Promise.all([
    ...[kafkaExamination, clickHouseExamination, postgresExamination, redisExamination].map((examination) =>
      examineEngine(examination({ config, log: quiet, now })),
    ),
    examineAccounting(config, quiet),
  ]);
  const own = config.http.tls === undefined ? [] : [examineOwnCertificate(config.http.tls, now)];
  return [...own, ...findings.flat()];
}

export type Installation = { readonly config: Config; readonly log: Log; readonly now: Now };

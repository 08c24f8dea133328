import { replicasOf } from '#clickhouse';
import type { Config, Log } from '#runtime';
import { examineAccounting } from './checks/accounting.ts';
import { examineOwnCertificate } from './checks/own-certificate.ts';
import { clickHouseExamination } from './engines/clickhouse.ts';
import { kafkaExamination } from './engines/kafka.ts';
import { postgresExamination } from './engines/postgres.ts';
import { redisExamination } from './engines/redis.ts';
import { type Finding, examineEngine } from './finding.ts';
import type { Installation, Now } from './installation.ts';

/**
 * Examines the engines, and what flagmeter keeps in them. It changes nothing. It takes seconds, or a minute if engines do
 * not answer.
 */
export async function examine(config: Config, log: Log, now: Now = Date.now): Promise<Finding[]> {
  // Each finding names the problem, so that clients need not log it as well.
  const quiet = log.child({}, { level: 'silent' });
  const installation = { config, log: quiet, now };
  const findings = await Promise.all([
    examineEngine(kafkaExamination(installation)),
    ...replicasOf(config.clickhouse).map((replica) =>
      examineReplica({ ...installation, config: { ...config, clickhouse: replica } }, config),
    ),
    examineEngine(postgresExamination(installation)),
    examineEngine(redisExamination(installation)),
    examineAccounting(config, quiet),
  ]);
  const own = config.http.tls === undefined ? [] : [examineOwnCertificate(config.http.tls, now)];
  return [...own, ...findings.flat()];
}

/** If there are several replicas, each check names its own. */
async function examineReplica(installation: Installation, { clickhouse }: Config): Promise<Finding[]> {
  const found = await examineEngine(clickHouseExamination(installation));
  const { url } = installation.config.clickhouse;
  return url === clickhouse.url
    ? found
    : found.map((finding) => ({ ...finding, check: `${finding.check} of ${new URL(url).host}` }));
}

import { serversOf } from '#core/clickhouse';
import type { Config, Log } from '#base/runtime';
import { examineAccounting } from './checks/accounting.ts';
import { examineOwnCertificate } from './checks/servers/certificate.ts';
import { examineCopies } from './checks/copies.ts';
import { type ClickHouseServer, clickHouseExamination } from './engines/clickhouse.ts';
import { identityProviderExamination } from './engines/identity-provider.ts';
import { kafkaExamination } from './engines/kafka.ts';
import { postgresExamination } from './engines/postgres.ts';
import { redisExamination } from './engines/redis.ts';
import { type Finding, examineEngine } from './finding.ts';
import type { Installation } from './installation.ts';

type Options = Partial<Pick<Installation, 'now' | 'backupDisk'>>;

/**
 * Examines the engines, and what flagmeter keeps in them. It changes nothing. It takes seconds, or a minute if engines do
 * not answer.
 */
export async function examine(
  config: Config,
  log: Log,
  { now = Date.now, backupDisk }: Options = {},
): Promise<Finding[]> {
  // Each finding names the problem, so that clients need not log it as well.
  const quiet = log.child({}, { level: 'silent' });
  const installation = { config, log: quiet, now, backupDisk };
  const {
    auth: { oidc },
    redis,
  } = config;
  const findings = await Promise.all([
    examineEngine(kafkaExamination(installation)),
    ...serversOf(config.clickhouse).map((server) => examineServer(installation, server)),
    examineEngine(postgresExamination(installation)),
    ...(redis === undefined ? [] : [examineEngine(redisExamination(redis, installation))]),
    ...(oidc === undefined ? [] : [examineEngine(identityProviderExamination(oidc, now))]),
    examineCopies(config, quiet),
    examineAccounting(config, quiet),
  ]);
  const own = config.http.tls === undefined ? [] : [examineOwnCertificate(config.http.tls, now)];
  return [...own, ...findings.flat()];
}

/** If there are several servers, each check names its own. */
async function examineServer(installation: Installation, server: ClickHouseServer): Promise<Finding[]> {
  const found = await examineEngine(clickHouseExamination(installation, server));
  return server.url === installation.config.clickhouse.url
    ? found
    : found.map((finding) => ({ ...finding, check: `${finding.check} of ${new URL(server.url).host}` }));
}

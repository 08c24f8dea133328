import { type Config, createLog } from '#base/runtime';
import type { Finding } from '#tooling/operations';
import { clickHouseExamination } from '../../../packages/tooling/operations/doctor/engines/clickhouse.ts';
import { kafkaExamination } from '../../../packages/tooling/operations/doctor/engines/kafka.ts';
import { postgresExamination } from '../../../packages/tooling/operations/doctor/engines/postgres.ts';
import { redisExamination } from '../../../packages/tooling/operations/doctor/engines/redis.ts';
import { examineEngine } from '../../../packages/tooling/operations/doctor/finding.ts';

/** What `flagmeter doctor` finds by one check of an engine, without its checks of the others, which take seconds. */
export async function findingOf(check: string, config: Config): Promise<Finding> {
  const installation = { config, log: createLog('test', 'fatal'), now: Date.now };
  const examinations = [
    kafkaExamination(installation),
    clickHouseExamination(installation, config.clickhouse),
    postgresExamination(installation),
    ...(config.redis === undefined ? [] : [redisExamination(config.redis, installation)]),
  ];
  const makes = examinations.find(({ checks }) => checks.some(({ name }) => name === check));
  await Promise.all(examinations.filter((one) => one !== makes).map((one) => one.close()));
  if (makes === undefined) throw new Error(`no engine has the check ${check}`);
  const found = (await examineEngine(makes)).find((finding) => finding.check === check);
  if (found === undefined) throw new Error(`the check ${check} was not made`);
  return found;
}

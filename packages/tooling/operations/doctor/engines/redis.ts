import { openRedisProbe } from '#base/auth';
import type { Config } from '#base/runtime';
import { certificateCheck } from '../checks/servers/certificate.ts';
import { clockCheck } from '../checks/servers/clock.ts';
import { judgeVersion } from '../checks/servers/version.ts';
import type { Installation } from '../installation.ts';
import { type Examination, type Judgement, fail, ok } from '../finding.ts';

export function redisExamination(
  redis: NonNullable<Config['redis']>,
  { log, now }: Pick<Installation, 'log' | 'now'>,
): Examination {
  const probe = openRedisProbe(redis, log);
  const url = new URL(redis.url);
  const endpoint = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 6379) };
  return {
    engine: 'Redis',
    checks: [
      { name: 'Redis', run: async () => judgeVersion('Redis', await probe.readVersion()) },
      { name: 'Redis role', run: async () => judgeRole(await probe.isReplica()) },
      clockCheck('Redis', probe.readTimeMs, now),
      ...(redis.tls === undefined
        ? []
        : [certificateCheck('Redis', { endpoints: [endpoint], tls: redis.tls }, now)]),
    ],
    close: () => {
      probe.close();
      return Promise.resolve();
    },
  };
}

function judgeRole(isReplica: boolean): Judgement {
  if (!isReplica) return ok('Redis takes writes.');
  return fail(
    'Redis is a replica: processes do not hear of revoked tokens for up to a minute, and do not share request rates.',
    'Set REDIS_URL to the primary, in every process.',
  );
}

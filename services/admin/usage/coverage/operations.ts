import type { FromSchema } from 'json-schema-to-ts';
import { type ClickHouse, readUsage } from '#core/clickhouse';
import { compileQuery } from '#base/schema';
import type { Operation } from '../../http/operation.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import { type Coverage, coverageSchema } from './schema.ts';

type Row = {
  app_name: string;
  environment: string;
  instances: string;
  covered_seconds: number;
  missing_seconds: number;
  total: string;
};

const coverageQuery = {
  type: 'object',
  properties: {
    appName: { type: 'string', minLength: 1, description: 'Only this application.' },
  },
} as const;

type CoverageQuery = FromSchema<typeof coverageQuery>;

export type CoverageReader = ReturnType<typeof createCoverageReader>;

/** Reads which time of the instances of SDKs has counts, of the applications with most time without first. */
export function createCoverageReader(db: ClickHouse) {
  return async ({ appName }: CoverageQuery): Promise<Coverage> => {
    const rows = await readUsage<Row>(
      db,
      `select app_name, environment, instances, covered_seconds, missing_seconds, count() over () as total
       from coverage_by_app
       ${appName === undefined ? '' : 'where app_name = {appName:String}'}
       order by missing_seconds desc, app_name, environment
       limit 1000`,
      { appName },
    );
    return {
      total: Number(rows[0]?.total ?? 0),
      coverage: rows.map((row) => ({
        appName: row.app_name,
        environment: row.environment,
        instances: Number(row.instances),
        coveredSeconds: row.covered_seconds,
        missingSeconds: row.missing_seconds,
      })),
    };
  };
}

export function coverageOperations(readCoverage: CoverageReader): Operation[] {
  return [getCoverage(readCoverage)];
}

function getCoverage(readCoverage: CoverageReader): Operation<CoverageQuery> {
  const reads = new ReadsInTurn<Coverage>();
  return {
    id: 'getCoverage',
    scope: 'installation',
    queue: 'none',
    method: 'get',
    tag: 'Usage',
    permission: 'READ',
    path: '/api/admin/metrics/coverage',
    summary:
      'How much of the last 24 hours of the SDKs that post directly has counts: the 1,000 applications with most time without',
    query: compileQuery<CoverageQuery>(coverageQuery),
    answer: {
      status: 200,
      description: 'The coverage.',
      schema: coverageSchema,
      example: {
        total: 1,
        coverage: [
          {
            appName: 'web-shop',
            environment: 'production',
            instances: 41,
            coveredSeconds: 3_478_000,
            missingSeconds: 63_700,
          },
        ],
      },
    },
    run: (request) => reads.read(request, request.query.appName ?? '', () => readCoverage(request.query)),
  };
}

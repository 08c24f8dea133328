import { type Postgres, openPostgres } from '#base/postgres';
import type { OwnUnleash } from '../../stack/engines/unleash.ts';
import type { World } from '../../world.ts';
import type { Row } from './row.ts';
import { samplesOfFlagmeter, samplesOfUnleash } from './stored-samples.ts';

/** What is stored of one application, as sorted texts. */
export type Stored = {
  /** Rows with evaluations: feature, environment, hour, yes, no, variants. */
  readonly metrics: readonly string[];
  /** Instances, with their environments. */
  readonly instances: readonly string[];
  readonly strategies: readonly string[];
  /** Sums of impact metrics, as Prometheus reads them. */
  readonly samples: readonly string[];
};

export type StoredRows = { readonly [Member in keyof Stored]: readonly Row[] };

const APPLICATIONS = `
  select app_name as app, value as text
  from client_applications
  cross join lateral json_array_elements_text(strategies::json) as value`;

const INSTANCES = `
  select app_name as app, concat_ws(' ', instance_id, environment) as text
  from client_instances`;

const METRICS = `
  select app_name as app,
    concat_ws(' ', feature_name, environment, to_char(timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24'), yes, no,
      (select string_agg(variant || '=' || count, ',' order by variant collate "C")
       from client_metrics_env_variants as v
       where v.feature_name = m.feature_name
         and v.app_name = m.app_name
         and v.environment = m.environment
         and v.timestamp = m.timestamp
         and count > 0)) as text
  from client_metrics_env as m
  where yes + no > 0`;

export async function storedByUnleash(
  unleash: Pick<OwnUnleash, 'address' | 'databaseUrl'>,
  world: World,
): Promise<StoredRows> {
  const db = openPostgres({ url: unleash.databaseUrl, tls: undefined, maxConnections: 1, log: world.log });
  try {
    return {
      metrics: await rowsOf(db, METRICS),
      instances: await rowsOf(db, INSTANCES),
      strategies: await rowsOf(db, APPLICATIONS),
      samples: await samplesOfUnleash(unleash.address),
    };
  } finally {
    await db.end();
  }
}

export async function storedByFlagmeter(world: World): Promise<StoredRows> {
  return {
    metrics: await world.query<Row>(
      `select u.app_name as app,
         trimRight(concat(feature_name, ' ', environment, ' ', formatDateTime(hour, '%Y-%m-%dT%H'), ' ',
           toString(sum(u.yes)), ' ', toString(sum(u.no)), ' ', any(variants.text))) as text
       from usage_by_hour as u
       left join (
         select feature_name, app_name, environment, hour,
           arrayStringConcat(arraySort(groupArray(concat(variant, '=', toString(total)))), ',') as text
         from (
           select feature_name, app_name, environment, hour, variant, sum(v.count) as total
           from variants_by_hour as v
           group by feature_name, app_name, environment, hour, variant
           having total > 0
         )
         group by feature_name, app_name, environment, hour
       ) as variants using (feature_name, app_name, environment, hour)
       where u.yes + u.no > 0
       group by u.app_name, feature_name, environment, hour`,
    ),
    instances: await rowsOf(world.db, INSTANCES),
    strategies: await rowsOf(world.db, APPLICATIONS),
    samples: await samplesOfFlagmeter(world),
  };
}

async function rowsOf(db: Postgres, sql: string): Promise<readonly Row[]> {
  return (await db.query<Row>(sql)).rows;
}

/** What is stored of each application. */
export function byApplication(rows: StoredRows): (app: string) => Stored {
  const index = (list: readonly Row[]): Map<string, string[]> => {
    const texts = new Map<string, string[]>();
    for (const { app, text } of list) texts.set(app, [...(texts.get(app) ?? []), text]);
    return texts;
  };
  const of = {
    metrics: index(rows.metrics),
    instances: index(rows.instances),
    strategies: index(rows.strategies),
    samples: index(rows.samples),
  };
  return (app) => ({
    metrics: (of.metrics.get(app) ?? []).toSorted(),
    instances: (of.instances.get(app) ?? []).toSorted(),
    strategies: (of.strategies.get(app) ?? []).toSorted(),
    samples: (of.samples.get(app) ?? []).toSorted(),
  });
}

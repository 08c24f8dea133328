import { type ClickHouse, readRows } from '#core/clickhouse';

/** Numbers are decimal strings, because they may be larger than a double holds exactly. */
export type TopFeature = {
  readonly feature_name: string;
  readonly environment: string;
  readonly yes: string;
  readonly no: string;
  readonly unknown: string;
  readonly apps: string;
  /** Of those whose result is known. */
  readonly percent_on: number | null;
};

/** The features with the most evaluations in the current hour. */
export function readTopFeatures(db: ClickHouse, limit: number): Promise<TopFeature[]> {
  return readRows(
    db,
    `select
       u.feature_name as feature_name,
       u.environment as environment,
       sum(u.yes) as yes,
       sum(u.no) as no,
       sum(u.unknown) as unknown,
       uniqExact(u.app_name) as apps,
       if(yes + no = 0, null, round(100 * yes / (yes + no), 1)) as percent_on
     from usage_by_hour as u
     where u.hour = toStartOfHour(now('UTC'))
     group by feature_name, environment
     order by yes + no + unknown desc, feature_name, environment
     limit {limit:UInt32}`,
    { limit },
  );
}

type Outcomes = Readonly<Record<'received' | 'counted' | 'refused' | 'duplicate' | 'dead', string>>;

/** The metrics received from a topic, and how many were counted or refused, according to the stored blocks. */
export async function readOutcomes(db: ClickHouse, topic: string): Promise<Outcomes> {
  const [row] = await readRows<Outcomes>(
    db,
    `select
       sum(a.received) as received,
       sum(a.counted) as counted,
       sum(a.refused) as refused,
       sum(a.duplicate) as duplicate,
       sum(a.dead) as dead
     from accounting as a
     where a.topic = {topic:String}`,
    { topic },
  );
  return row ?? { received: '0', counted: '0', refused: '0', duplicate: '0', dead: '0' };
}

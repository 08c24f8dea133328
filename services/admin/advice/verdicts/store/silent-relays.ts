import { SAMPLE_TOPIC } from '#core/counting';
import type { Postgres } from '#base/postgres';

export type SilentRelay = {
  readonly name: string;
  readonly environment: string;
  readonly lastReportAt: Date;
};

const MAX_RELAYS = 1000;

/** Relays that report to flagmeter itself and fell silent, but for those of the sample, which report only once. Each start of an Edge is another relay of the same name. */
export async function listSilentRelays(db: Postgres): Promise<SilentRelay[]> {
  const { rows } = await db.query<{ app_name: string; region: string | null; environment: string; at: Date }>(
    `select app_name, region, environment, max(last_report_at) as at
     from relay_states
     where state = 'silent'
       and depth = 0
       and token_id <> $1
     group by app_name, region, environment
     order by app_name, region, environment
     limit ${MAX_RELAYS}`,
    [SAMPLE_TOPIC],
  );
  return rows.map(({ app_name: name, region, environment, at }) => ({
    name: region === null ? name : `${name} in ${region}`,
    environment,
    lastReportAt: at,
  }));
}

import { SAMPLE_TOPIC } from '#core/counting';
import type { Postgres } from '#base/postgres';

/** What the alerts about relays need. */
export type Fleet = {
  /** Relays by state; left out are those that fell silent more than a day ago, and those of the sample, which report only once. */
  readonly states: ReadonlyMap<string, number>;
  /** How many revisions the relay that is most behind lacks, by environment. */
  readonly lags: ReadonlyMap<string, number>;
};

export const RELAY_STATES = ['reporting', 'silent', 'stopped'] as const;

export async function readFleet(db: Postgres): Promise<Fleet> {
  const { rows: states } = await db.query<{ state: string; relays: number }>(
    `select state, count(*)::int as relays
     from relay_states
     where last_report_at > now() - interval '1 day'
       and token_id <> $1
     group by state`,
    [SAMPLE_TOPIC],
  );
  const { rows: lags } = await db.query<{ environment: string; lag: string }>(
    `select environment, max(newest_revision - revision) as lag
     from relay_revisions
     where state = 'reporting'
       and token_id <> $1
     group by environment
     order by environment
     limit 100`,
    [SAMPLE_TOPIC],
  );
  return {
    states: new Map(states.map(({ state, relays }) => [state, relays])),
    lags: new Map(lags.map(({ environment, lag }) => [environment, Number(lag)])),
  };
}

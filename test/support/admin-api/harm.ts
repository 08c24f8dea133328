import { syncFeatures } from '#fleet/catalogue';
import { refreshVerdicts } from '#core/clickhouse';
import { createHistory } from '../builders/history.ts';
import type { World } from '../world.ts';

export const GUARD = { metric: 'errors', direction: 'up', threshold: 0, above: null } as const;

export type Harm = {
  readonly feature: string;
  readonly environment?: string;
  /** Ids of the trusted tokens that sent it; none if only others did. */
  readonly provedBy?: readonly string[];
};

/** Turns each feature on for a day, in which it causes three times the errors. */
export async function doHarm(world: World, ...harms: readonly Harm[]): Promise<void> {
  const history = createHistory();
  for (const { feature, environment = 'production', provedBy = [] } of harms) {
    await world.db.query(
      `insert into feature_environments (feature_name, environment, enabled, changed_at)
       values ($1, $2, true, now() - interval '1 day')`,
      [feature, environment],
    );
    const of = { feature, environment, hoursAgo: 1 };
    history.evaluated({ ...of, yes: 1000, no: 1000 });
    for (const [arm, value] of Object.entries(ERRORS)) {
      history.measured({ ...of, metric: 'errors', arm, value });
      for (const token of provedBy) {
        history.proved({ ...of, token, arm, count: 1000 });
        history.proved({ ...of, token, arm, metric: 'errors', count: value });
      }
    }
  }
  await history.write(world);
}

const ERRORS = { enabled: 900, disabled: 300 };

/** Copies the catalogue and computes the verdicts, as happens each minute. */
export async function computeVerdicts({ db, clickhouse }: World): Promise<void> {
  await syncFeatures(db, clickhouse);
  await refreshVerdicts(clickhouse);
}

export type GuardEvent = {
  readonly feature: string;
  readonly environment: string;
  readonly type: string;
  readonly by: string;
  readonly source: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** What guards did, and did not do. */
export async function guardEvents({ db }: World): Promise<GuardEvent[]> {
  const { rows } = await db.query<GuardEvent>(
    `select feature_name as feature, environment, type, created_by as by, source, data
     from events
     where type = 'feature-guard-withheld'
        or type = 'feature-environment-disabled' and data is not null
     order by id`,
  );
  return rows;
}

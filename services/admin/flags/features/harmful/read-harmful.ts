import { type ClickHouse, readUsage } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';
import type { Evidence, Harmful, ProvedHarmful, Unproved } from './turn-off.ts';

/** Features that are harmful where a guard asks to turn them off. */
export type HarmfulFeatures = {
  readonly proved: readonly ProvedHarmful[];
  /** Only by counts that anybody could have invented. */
  readonly unproved: readonly Unproved[];
};

/**
 * Reads them if they have had their configuration for some minutes. ClickHouse knows configurations half a minute late, so that an
 * older one may be the reason for a verdict on a newer one. Only what tokens sent that the project trusts is a proof. The verdicts are
 * read first, so that the proof of each can be found.
 */
export async function readHarmful(db: Postgres, clickhouse: ClickHouse): Promise<HarmfulFeatures> {
  const groups = await readAsking(db);
  if (groups.length === 0) return { proved: [], unproved: [] };
  const verdicts = await readVerdicts(clickhouse);
  const proved: ProvedHarmful[] = [];
  for (const { features, tokens } of groups)
    if (tokens.length > 0) proved.push(...(await readProved(clickhouse, { features, tokens })));
  const keys = new Set(proved.map(keyOf));
  const names = new Set(groups.flatMap(({ features }) => features));
  return {
    proved,
    unproved: verdicts.filter((harmful) => names.has(harmful.feature) && !keys.has(keyOf(harmful))),
  };
}

function keyOf({ feature, environment }: Harmful): string {
  return JSON.stringify([feature, environment]);
}

type Asking = { readonly features: readonly string[]; readonly tokens: readonly string[] };

/** The features of each project that a guard may turn off, and the tokens that the project trusts. */
async function readAsking(db: Postgres): Promise<Asking[]> {
  const { rows } = await db.query<Asking>(
    `select
       array_agg(f.name order by f.name) as features,
       (
         select coalesce(array_agg(t.id::text order by t.id), '{}')
         from api_tokens as t
         where t.is_trusted
           and t.revoked_at is null
           and (t.projects = '{}' or f.project = any (t.projects))
       ) as tokens
     from features as f
     where f.archived_at is null
       and f.guards @? '$[*].turnOff[*]'
       and exists (
         select
         from feature_environments as e
         where e.feature_name = f.name
           and e.enabled
       )
     group by f.project`,
  );
  return rows;
}

type VerdictRow = {
  feature: string;
  environment: string;
  metric: string;
  reason: string;
  configured_at_ms: string;
};

const CONFIGURED = `
  inner join feature_configurations as c on c.feature_name = h.feature_name and c.environment = h.environment
  where c.enabled`;

async function readVerdicts(clickhouse: ClickHouse): Promise<Unproved[]> {
  const rows = await readUsage<VerdictRow & { direction: Unproved['direction'] }>(
    clickhouse,
    `select
       h.feature_name as feature,
       h.environment as environment,
       h.subject as metric,
       if(h.value > 1, 'up', 'down') as direction,
       h.sentence as reason,
       toUnixTimestamp64Milli(c.changed_at) as configured_at_ms
     from feature_verdicts as h
     ${CONFIGURED}
       and h.verdict = 'harmful'
       and c.changed_at < h.computed_at - interval 5 minute
     order by feature, environment
     limit 1000`,
    {},
  );
  return rows.map(({ configured_at_ms, ...row }) => ({ ...row, configuredAtMs: Number(configured_at_ms) }));
}

type ProvedRow = VerdictRow & {
  direction: 'up' | 'down';
  accepted: number;
  above: number | null;
  from_s: number;
  until_s: number;
  arm: string;
  arm_chances: number;
  arm_events: number;
  control: string;
  control_chances: number;
  control_events: number;
  tokens: string[];
  applications: string[];
};

async function readProved(clickhouse: ClickHouse, asking: Asking): Promise<ProvedHarmful[]> {
  const rows = await readUsage<ProvedRow>(
    clickhouse,
    `select
       h.feature_name as feature,
       h.environment as environment,
       h.metric as metric,
       h.direction as direction,
       h.accepted as accepted,
       h.above as above,
       h.sentence as reason,
       toUnixTimestamp64Milli(c.changed_at) as configured_at_ms,
       toUnixTimestamp(h.since) as from_s,
       toUnixTimestamp(now()) as until_s,
       h.arm as arm,
       h.arm_chances as arm_chances,
       h.arm_events as arm_events,
       h.control as control,
       h.control_chances as control_chances,
       h.control_events as control_events,
       s.tokens as tokens,
       s.applications as applications
     from harmful_by_evidence(features = {features:Array(String)}, tokens = {tokens:Array(String)}) as h
     inner join (
       select
         feature_name,
         environment,
         arraySort(groupUniqArray(100)(token_id)) as tokens,
         arraySort(groupUniqArray(100)(app_name)) as applications
       from evidence_hourly
       where feature_name in {features:Array(String)}
         and token_id in {tokens:Array(String)}
       group by feature_name, environment
     ) as s on s.feature_name = h.feature_name and s.environment = h.environment
     ${CONFIGURED}
       and c.changed_at < now() - interval 5 minute
     order by feature, environment
     limit 1000`,
    { ...asking },
  );
  return rows.map(toProved);
}

function toProved({ feature, environment, metric, reason, ...row }: ProvedRow): ProvedHarmful {
  const evidence: Evidence = {
    from: new Date(row.from_s * 1000).toISOString(),
    until: new Date(row.until_s * 1000).toISOString(),
    arm: { name: row.arm, chances: row.arm_chances, events: row.arm_events },
    control: { name: row.control, chances: row.control_chances, events: row.control_events },
    tokens: row.tokens,
    applications: row.applications,
  };
  const { direction, accepted: threshold, above } = row;
  const guard = { metric, direction, threshold, above };
  const configuredAtMs = Number(row.configured_at_ms);
  return { feature, environment, metric, guard, reason, evidence, configuredAtMs };
}

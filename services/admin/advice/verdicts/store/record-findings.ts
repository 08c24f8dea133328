import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';

export type SubjectType = 'feature' | 'application' | 'relay' | 'installation';

/** A verdict that holds now. */
export type Finding = {
  readonly subjectType: SubjectType;
  readonly subject: string;
  readonly environment: string;
  readonly verdict: string;
  readonly sentence: string;
  /** ISO time. */
  readonly since: string;
  readonly evaluations: number | null;
};

export type Findings = {
  /** What was looked at. Verdicts on other subjects stay as they are. */
  readonly subjectTypes: readonly SubjectType[];
  readonly verdicts: readonly string[];
  readonly found: readonly Finding[];
  /** Whether these are all. If not, no verdict ends. */
  readonly isComplete: boolean;
};

/** A verdict that is missing for this time has ended. Shorter gaps come from late data. */
const ENDS_AFTER = "interval '10 minutes'";

/**
 * Compares what holds now with what held before. What appeared and ended becomes causes of messages in the same transaction. While a
 * verdict is acknowledged, nobody gets a message about it. If it still holds afterwards, the message is that of a new verdict.
 */
export async function recordFindings(db: Postgres, findings: Findings): Promise<void> {
  await inTransaction(db, async (client) => {
    const present = JSON.stringify(findings.found);
    await client.query(RETURNED, [present]);
    await noteCauses(client, 'verdict-appeared', await idsOf(client, APPEARED, [present]));
    const looked = [findings.subjectTypes, findings.verdicts];
    if (findings.isComplete) {
      await client.query(ABSENT, [present, ...looked]);
      await noteCauses(client, 'verdict-ended', await idsOf(client, ENDED, looked));
    }
    await noteCauses(client, 'verdict-appeared', await idsOf(client, HOLDS_AGAIN, looked));
  });
}

const PRESENT = `
  jsonb_to_recordset($1::jsonb) as present (
    "subjectType" text, subject text, environment text, verdict text, sentence text, since timestamptz, evaluations bigint
  )`;
const IS_SAME = `
  (v.subject_type, v.subject, v.environment, v.verdict) =
  (present."subjectType", present.subject, present.environment, present.verdict)`;
const WAS_LOOKED_AT = (types: string, verdicts: string) =>
  `v.subject_type = any (${types}::text[]) and v.verdict = any (${verdicts}::text[])`;

/** Came back before it had ended. */
const RETURNED = `
  update verdicts as v
  set absent_since = null
  from ${PRESENT}
  where ${IS_SAME}
    and v.absent_since is not null
    and v.ended_at is null`;

const APPEARED = `
  insert into verdicts as v (subject_type, subject, environment, verdict, sentence, since, evaluations)
  select "subjectType", subject, environment, verdict, sentence, since, evaluations
  from ${PRESENT}
  where not exists (select from verdicts as v where ${IS_SAME} and v.ended_at is null)
  order by "subjectType", subject, environment, verdict
  on conflict (subject_type, subject, environment, verdict) do update
  set
    sentence = excluded.sentence,
    since = excluded.since,
    evaluations = excluded.evaluations,
    appeared_at = now(),
    absent_since = null,
    ended_at = null
  returning v.id`;

const ABSENT = `
  update verdicts as v
  set absent_since = now()
  where ${WAS_LOOKED_AT('$2', '$3')}
    -- By a clock that was ahead, it would end late.
    and (v.absent_since is null or v.absent_since > now())
    and v.ended_at is null
    and not exists (select from ${PRESENT} where ${IS_SAME})`;

const ENDED = `
  update verdicts as v
  set ended_at = now()
  where ${WAS_LOOKED_AT('$1', '$2')}
    and v.ended_at is null
    and v.absent_since <= now() - ${ENDS_AFTER}
  returning v.id`;

/** The acknowledgement is over. Verdicts that have ended are only forgotten. */
const HOLDS_AGAIN = `
  with holds_again as (
    update verdicts as v
    set
      acknowledged_at = null,
      acknowledged_by = null,
      acknowledged_by_user_id = null,
      acknowledged_until = null,
      acknowledgement = null
    where ${WAS_LOOKED_AT('$1', '$2')}
      and v.acknowledged_until <= now()
    returning v.id, v.ended_at
  )
  select id
  from holds_again
  where ended_at is null`;

async function idsOf(client: PostgresClient, sql: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(sql, [...values]);
  return rows.map(({ id }) => id);
}

async function noteCauses(
  client: PostgresClient,
  kind: 'verdict-appeared' | 'verdict-ended',
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await client.query(
    `insert into notification_causes (kind, type, environment, feature_name, data)
     select
       $1,
       v.verdict,
       v.environment,
       case v.subject_type when 'feature' then v.subject end,
       jsonb_build_object(
         'verdictId', v.id,
         'subjectType', v.subject_type,
         'subject', v.subject,
         'since', v.since,
         'appearedAt', v.appeared_at,
         'evaluations', v.evaluations,
         'explanation', left(v.sentence, 2000)
       )
     from verdicts as v
     where v.id = any ($2::bigint[])
       and v.acknowledged_at is null
       and exists (select from notification_subscriptions where enabled)
     order by v.id`,
    [kind, ids],
  );
}

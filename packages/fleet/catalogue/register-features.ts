import { type ClickHouse, readRows } from '#core/clickhouse';
import { isUrlName } from '#base/schema';
import { MAX_REGISTERED_FEATURES } from '#core/counting';
import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { type RoomOfFeatures, readRoom } from './room-of-features.ts';

/**
 * Registers features that only another flag system has: OpenTelemetry says that their provider knows them. A name whose evaluations all
 * fail may be a typing error, so it stays unknown, and so does a name that the admin API would not accept. A feature counts for the token
 * that sent its evaluations. Idempotent.
 */
export async function registerFeatures(
  db: Postgres,
  clickhouse: ClickHouse,
  limits = MAX_REGISTERED_FEATURES,
): Promise<void> {
  await followProviders(db, clickhouse);
  const senders = await readRows<Sender>(clickhouse, UNKNOWN, limits);
  const tokens = new Map<string, string[]>();
  const revoked = await findRevoked(
    db,
    senders.map(({ token_id }) => token_id),
  );
  for (const { feature_name: name, token_id: token } of senders)
    if (isUrlName(name) && !revoked.has(token)) tokens.set(name, [...(tokens.get(name) ?? []), token]);
  if (tokens.size === 0) return;
  const providers = await readProviders(clickhouse, [...tokens.keys()]);
  await inTransaction(db, async (client) => {
    // Of two workers, the second sees what the first has registered.
    await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const unknown = await namesWithoutFeature(client, [...tokens.keys()]);
    if (unknown.length > 0)
      await registerInRoom(client, await readRoom(client, limits), { unknown, tokens, providers });
  });
}

const LOCK = 4_242_006;

type Sender = { readonly feature_name: string; readonly token_id: string };

/** Of these tokens, those that were revoked since they sent evaluations: they register nothing any more. */
async function findRevoked(db: Postgres, tokens: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>(
    'select id::text from api_tokens where id::text = any ($1) and revoked_at is not null',
    [tokens],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Each token in turn, so that the names of one do not hide those of another. */
const UNKNOWN = `
  select feature_name, token_id
  from (
    select
      feature_name,
      token_id,
      row_number() over (partition by token_id order by feature_name) as place
    from (
      select distinct feature_name, token_id
      from feature_senders
      where day >= toDate(now('UTC')) - 1
        and match(feature_name, '^[A-Za-z0-9_.~-]{1,100}$')
        and feature_name not in ('.', '..')
        and feature_name not in (select feature_name from features)
    )
  )
  where place <= {each:UInt32}
  order by place, token_id
  limit {all:UInt32}`;

type Found = {
  readonly unknown: readonly string[];
  readonly tokens: ReadonlyMap<string, readonly string[]>;
  readonly providers: ReadonlyMap<string, string>;
};

async function registerInRoom(
  client: PostgresClient,
  room: RoomOfFeatures,
  { unknown, tokens, providers }: Found,
): Promise<void> {
  const fresh = unknown.flatMap((name) => {
    const token = tokens.get(name)?.find((one) => room.take(one));
    return token === undefined ? [] : { name, token, provider: providers.get(name) ?? null };
  });
  await client.query(FORGET, [room.forgotten()]);
  await client.query(REGISTER, [JSON.stringify(fresh)]);
}

/** What nobody has written about is lost only from the catalogue: its counts stay. */
const FORGET = `
  with forgotten as (
    delete from features as f
    where f.name = any ($1)
      and is_only_registered(f)
    returning f.name, f.project, f.registered_by
  )
  insert into events (type, created_by, created_by_user_id, project, feature_name, pre_data)
  select 'feature-forgotten', 'system', -1337, project, name, jsonb_build_object('registeredBy', registered_by)
  from forgotten
  order by name`;

const REGISTER = `
  with registered as (
    insert into features (name, project, source, provider, registered_by)
    select name, 'default', 'opentelemetry', provider, token
    from jsonb_to_recordset($1) as one (name text, provider text, token text)
    order by name
    on conflict (name) do nothing
    returning name, project, provider, registered_by
  )
  insert into events (type, created_by, created_by_user_id, project, feature_name, data, token)
  select
    'feature-registered',
    coalesce(t.token_name, 'token ' || r.registered_by),
    -42,
    r.project,
    r.name,
    jsonb_build_object('name', r.name, 'provider', r.provider),
    case
      when t.id is not null then jsonb_build_object('id', t.id, 'createdByUserId', t.created_by, 'createdByTokenId', t.created_by_token)
    end
  from registered as r
  left join api_tokens as t on t.id::text = r.registered_by
  order by r.name`;

async function namesWithoutFeature(client: PostgresClient, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select one.name
     from unnest($1::text[]) with ordinality as one (name, place)
     where not exists (select from features as f where f.name = one.name)
     order by one.place`,
    [names],
  );
  return rows.map(({ name }) => name);
}

type Provided = { readonly feature_name: string; readonly provider: string };

async function readProviders(
  clickhouse: ClickHouse,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await readRows<Provided>(clickhouse, PROVIDERS, { names });
  return new Map(rows.map(({ feature_name, provider }) => [feature_name, provider]));
}

/** The provider with the most evaluations of two days; none if no evaluation names one. */
const PROVIDERS = `
  select feature_name, argMax(provider, (evaluations, provider)) as provider
  from (
    select feature_name, provider, sum(r.evaluations) as evaluations
    from reasons_daily as r
    where day >= toDate(now('UTC')) - 1
      and feature_name in {names:Array(String)}
      and reason != 'error'
      and provider != ''
    group by feature_name, provider
  )
  group by feature_name`;

/** A flag may move to another system. Rows are in the order of their names, so that two workers cannot deadlock. */
async function followProviders(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  const known = await db.query<{ name: string }>(`select name from features where source = 'opentelemetry'`);
  if (known.rows.length === 0) return;
  const providers = await readProviders(
    clickhouse,
    known.rows.map(({ name }) => name),
  );
  await db.query(
    `update features as f
     set provider = changed.provider
     from (
       select f.name, one.provider
       from unnest($1::text[], $2::text[]) as one (name, provider)
       join features as f on f.name = one.name
       where f.source = 'opentelemetry'
         and f.provider is distinct from one.provider
       order by f.name
       for update of f
     ) as changed
     where f.name = changed.name`,
    [[...providers.keys()], [...providers.values()]],
  );
}

-- Projects, environments, features, favourites and feedback.

create table projects (
  id varchar(255) primary key,
  name varchar(255) not null,
  description text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  version integer not null default 1,
  revision uuid not null default gen_random_uuid(),
  source text not null default 'flagmeter' check (source in ('flagmeter', 'unleash')),
  vanished_at timestamptz
);

insert into projects (id, name, description) values ('default', 'Default', 'The project that is always there');

create table environments (
  name varchar(100) primary key,
  type text not null,
  enabled boolean not null default true,
  sort_order integer not null default 9999,
  created_at timestamptz not null default now(),
  revision uuid not null default gen_random_uuid(),
  source text not null default 'flagmeter' check (source in ('flagmeter', 'unleash')),
  vanished_at timestamptz
);

insert into environments (name, type, sort_order) values ('development', 'development', 2), ('production', 'production', 3);

create table features (
  name varchar(255) primary key,
  project varchar(255) not null references projects (id),
  type varchar(255) not null default 'release',
  description text,
  stale boolean not null default false,
  impression_data boolean not null default false,
  owner varchar(255),
  tags text[] not null default '{}',
  guards jsonb not null default '[]',
  created_at timestamptz not null default now(),
  created_by_user_id integer,
  archived_at timestamptz,
  version integer not null default 1,
  revision uuid not null default gen_random_uuid(),
  source text not null default 'flagmeter' check (source in ('flagmeter', 'unleash', 'opentelemetry')),
  provider varchar(255),
  registered_by text,
  vanished_at timestamptz
);

-- Of texts that only look different, a filter would find one.
create function clean_feature() returns trigger language plpgsql set search_path = pg_catalog as $$
begin
  new.owner := nullif(public.clean_text(new.owner), '');
  new.tags := array(
    select tag
    from (
      select public.clean_tag(given) as tag, min(place) as place
      from unnest(new.tags) with ordinality as tags (given, place)
      group by 1
    ) as cleaned
    where tag <> ''
    order by place
  );
  return new;
end $$;

create trigger features_cleaned before insert or update of owner, tags on features
  for each row when (new.owner is not null or new.tags <> '{}') execute function clean_feature();

-- Whether evaluations registered a feature, and nobody has written anything about it since. Then somebody may create it, and it may make room
-- for others.
create function is_only_registered(f features) returns boolean language sql immutable as $$
  select f.source = 'opentelemetry'
    and f.type = 'release'
    and f.description is null
    and f.owner is null
    and f.tags = '{}'
    and f.guards = '[]'
    and not f.stale
    and not f.impression_data
$$;

-- Lists of features are read in pages, in the order of an index. The name makes each position unique.
create index features_active on features (project, name) where archived_at is null;
create index features_archived on features (project, name) where archived_at is not null;
create index features_created on features (created_at, name);

create table feature_environments (
  feature_name varchar(255) not null references features (name) on delete cascade,
  environment varchar(100) not null references environments (name) on delete cascade,
  enabled boolean not null default false,
  strategies jsonb not null default '[]',
  variants jsonb not null default '[]',
  changed_at timestamptz not null default now(),
  primary key (feature_name, environment)
);

-- Every strategy of a feature has an id, so that it can be addressed, regardless of who writes it. An id made here depends only on the place and
-- the content, so that a copy keeps it when it is written again.
create function identify_strategies() returns trigger language plpgsql as $$
begin
  select jsonb_agg(
    case
      when one.strategy ->> 'id' is not null or jsonb_typeof(one.strategy) <> 'object' then one.strategy
      else one.strategy || jsonb_build_object(
        'id', md5(concat_ws('/', new.feature_name, new.environment, one.place, one.strategy))::uuid
      )
    end
    order by one.place
  )
  into new.strategies
  from jsonb_array_elements(new.strategies) with ordinality as one (strategy, place);
  return new;
end $$;

create trigger feature_environments_identified before insert or update on feature_environments
  for each row when (jsonb_path_exists(new.strategies, '$[*] ? (@.type() == "object" && (!exists(@.id) || @.id == null))'))
  execute function identify_strategies();

create table past_configurations (
  id bigint generated always as identity,
  revision uuid not null default gen_random_uuid(),
  feature_name varchar(255) not null,
  environment varchar(100) not null,
  enabled boolean not null,
  strategies jsonb not null,
  variants jsonb not null,
  valid_from timestamptz not null,
  valid_to timestamptz not null,
  primary key (id) include (revision)
);

-- Keeps a configuration that is replaced or deleted, regardless of who does it. What one transaction changes twice was never in force between.
-- A transaction that waited for another began before it, so that its own time may be too early. If the clock was ahead when the configuration
-- came into force, nobody knows since when it was: then it and its predecessors end now.
create function keep_past_configuration() returns trigger language plpgsql as $$
declare
  was_ahead boolean := old.changed_at > clock_timestamp();
  ended timestamptz := case when was_ahead then now() else greatest(now(), old.changed_at) end;
begin
  if was_ahead then
    update past_configurations
      set valid_from = least(valid_from, ended), valid_to = ended, revision = gen_random_uuid()
      where feature_name = old.feature_name and environment = old.environment and valid_to > ended;
  end if;
  if old.changed_at <> ended then
    insert into past_configurations (feature_name, environment, enabled, strategies, variants, valid_from, valid_to)
    values (
      old.feature_name, old.environment, old.enabled, old.strategies, old.variants, least(old.changed_at, ended), ended
    );
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  new.changed_at := ended;
  return new;
end $$;

create trigger feature_environments_replaced before update on feature_environments
  for each row when ((old.enabled, old.strategies, old.variants) is distinct from (new.enabled, new.strategies, new.variants))
  execute function keep_past_configuration();
create trigger feature_environments_removed before delete on feature_environments
  for each row execute function keep_past_configuration();

-- Every change gives a project or a feature a new version, regardless of who writes it. The admin API compares versions with If-Match. A feature
-- and its environments have one version together.
create function renew_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  new.revision := gen_random_uuid();
  return new;
end $$;

create function renew_versions_of_features() returns trigger language plpgsql as $$
begin
  update features set version = version + 1 where name in (select feature_name from changed);
  return null;
end $$;

create trigger environments_renewed before update on environments
  for each row when (old is distinct from new) execute function renew_revision();
create trigger projects_versioned before update on projects
  for each row when (old is distinct from new) execute function renew_version();
create trigger features_versioned before update on features
  for each row when (old is distinct from new) execute function renew_version();
create trigger feature_environments_added after insert on feature_environments
  referencing new table as changed for each statement execute function renew_versions_of_features();
create trigger feature_environments_changed after update on feature_environments
  referencing new table as changed for each statement execute function renew_versions_of_features();
create trigger feature_environments_deleted after delete on feature_environments
  referencing old table as changed for each statement execute function renew_versions_of_features();

create table favorite_features (
  feature varchar(255) not null references features (name) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  token_id uuid references api_tokens (id) on delete cascade,
  created_at timestamptz not null default now(),
  check (token_id is null or user_id = -42)
);

create unique index favorite_features_of_caller
  on favorite_features (feature, user_id, coalesce(token_id, '00000000-0000-0000-0000-000000000000'));

create table feedback (
  id integer generated by default as identity primary key,
  uid uuid not null default gen_random_uuid() unique,
  category text not null,
  user_type text,
  difficulty_score integer,
  positive text,
  areas_for_improvement text,
  created_at timestamptz not null default now()
);

create index feedback_created on feedback (created_at desc, id desc);

-- The progress of the catalogue sync from Unleash.
create table unleash_sync (
  is_only boolean primary key default true check (is_only),
  event_id bigint,
  event_count bigint,
  listed_at timestamptz,
  archived_read integer not null default 0,
  are_archived_read boolean not null default false,
  succeeded_at timestamptz
);

insert into unleash_sync default values;

create table unleash_outdated_features (
  name varchar(255) primary key,
  project varchar(255) not null,
  are_tags_listed boolean not null default false,
  marked_at timestamptz not null default clock_timestamp()
);

comment on table projects is 'Groups of features';
comment on table environments is 'Environments, in which features are enabled or disabled';
create table guard_setters (
  feature_name varchar(255) not null references features (name) on delete cascade,
  environment varchar(100) not null references environments (name) on delete cascade,
  guards text[] not null,
  set_by integer not null references users (id),
  set_by_token uuid references api_tokens (id),
  personal_token uuid references personal_access_tokens (id) on delete set null,
  set_by_name text not null,
  set_at timestamptz not null default now(),
  primary key (feature_name, environment)
);

comment on table guard_setters is 'Who has set the guards that turn a feature off in an environment, and must still be permitted to do it then';
comment on column guard_setters.guards is 'Those guards as they were set: metric, direction, threshold and bound of each, as JSON';
comment on column guard_setters.set_by_token is 'ADMIN token that acted, if set_by is -42';
comment on column guard_setters.personal_token is 'The personal token that was sent; once it is revoked, the guards turn nothing off';
comment on table features is 'Feature flags; their names are unique across projects';
comment on column features.owner is 'Team or person responsible for it; flagmeter has it also for features of Unleash';
comment on column features.tags is 'Tags in the form type:value, in their order';
comment on column features.guards is 'Impact metrics that must not become worse; flagmeter has them also for features of Unleash';
comment on column features.archived_at is 'When it was archived; null while it is active';
comment on column projects.archived_at is 'When it was archived; null while it is active';
comment on column projects.version is 'Grows with each change';
comment on column features.version is 'Grows with each change of the feature or of its environments';
comment on column projects.source is 'Who owns it: what Unleash owns is changed there, and copied from there';
comment on column projects.vanished_at is 'When Unleash ceased to list it; null while it does';
comment on column environments.source is 'Who owns it: what Unleash owns is changed there, and copied from there';
comment on column environments.vanished_at is 'When Unleash ceased to list it; null while it does';
comment on column features.source is 'Who owns it: what Unleash owns is copied from there, and what another flag system has was evaluated there';
comment on column features.provider is 'The flag system that evaluates it, as OpenTelemetry names it; null for features of flagmeter and Unleash';
comment on column features.registered_by is 'Id of the API token whose evaluations registered it; null for features that somebody created';
comment on column features.vanished_at is 'When Unleash said that it has no such feature, which then counts as archived';
comment on table feature_environments is 'Environments in which a feature is enabled; disabled without a row';
comment on column feature_environments.strategies is 'Strategies of Unleash with their parameters, constraints and variants, in their order';
comment on column feature_environments.variants is 'Variants of Unleash with their weights';
comment on column feature_environments.changed_at is 'Since when this configuration is in force';
comment on table past_configurations is 'Replaced and deleted configurations, until they are copied to ClickHouse and 30 days old';
comment on column past_configurations.valid_to is 'When it was replaced or deleted';
comment on table favorite_features is 'Favourites of callers: of a user, or of an ADMIN token (user -42)';
comment on table feedback is 'Feedback of users about the product';
comment on column feedback.uid is 'Stays the same when the feedback is moved to another instance';
comment on table unleash_sync is 'How far the catalogue of Unleash is copied; one row';
comment on column unleash_sync.event_id is 'Newest event of Unleash that was copied';
comment on column unleash_sync.event_count is 'How many events Unleash had then';
comment on column unleash_sync.listed_at is 'When all active features were last listed';
comment on column unleash_sync.archived_read is 'Archived features listed so far, until all are';
comment on column unleash_sync.succeeded_at is 'When everything was last known to be current';
comment on table unleash_outdated_features is 'Features that changed in Unleash and are still to be read';
comment on column unleash_outdated_features.are_tags_listed is 'Whether a list has shown its tags since then';
comment on column unleash_outdated_features.marked_at is 'Tells a mark from a later one, which stays when the earlier one is done';

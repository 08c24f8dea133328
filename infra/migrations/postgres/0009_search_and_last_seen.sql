-- Text search and the time of the last evaluation, for lists of all projects.

-- pg_trgm belongs to Postgres, but an installation may lack it or not allow it to us. Then searches read all rows.
do $$
begin
  create extension if not exists pg_trgm;
exception
  when insufficient_privilege or undefined_file or feature_not_supported then
    raise notice 'pg_trgm is not available, so texts are searched without an index';
end $$;

-- An index needs a function that Postgres knows to be immutable. For texts `array_to_string` is.
create function text_of_tags(tags text[]) returns text
  language sql immutable parallel safe
  return array_to_string(tags, ' ');

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index features_text on features
      using gin (
        lower(name) gin_trgm_ops,
        lower(coalesce(description, '')) gin_trgm_ops,
        lower(coalesce(owner, '')) gin_trgm_ops,
        lower(text_of_tags(tags)) gin_trgm_ops
      );
    create index events_text on events
      using gin (lower(type) gin_trgm_ops, lower(coalesce(feature_name, '')) gin_trgm_ops, lower(created_by) gin_trgm_ops);
  end if;
end $$;

-- The row with an empty environment is for all environments. Every feature has it, so that an index orders all features.
create table feature_last_seen (
  feature_name varchar(255) not null references features (name) on delete cascade,
  environment text not null,
  last_seen_at timestamptz not null default 'epoch',
  primary key (feature_name, environment)
);

create index feature_last_seen_order on feature_last_seen (last_seen_at, feature_name) where environment = '';

create function add_last_seen() returns trigger language plpgsql as $$
begin
  insert into feature_last_seen (feature_name, environment) select name, '' from added;
  return null;
end $$;

create trigger features_last_seen after insert on features
  referencing new table as added for each statement execute function add_last_seen();

create index change_requests_created on change_requests (created_at, id);
create index change_requests_state on change_requests (state, id);

comment on table feature_last_seen is 'Start of the last hour with evaluations of each feature, by environment; the epoch if there is none';

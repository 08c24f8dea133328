-- The event log, and the number of events.

create table events (
  id bigint generated always as identity,
  revision uuid not null default gen_random_uuid(),
  uid uuid not null default gen_random_uuid() unique,
  created_at timestamptz not null default now(),
  type varchar(255) not null,
  created_by varchar(255) not null,
  created_by_user_id integer,
  data jsonb,
  pre_data jsonb,
  tags jsonb not null default '[]',
  token jsonb,
  project text,
  environment text,
  feature_name text,
  group_type text,
  group_id text,
  comment text,
  source text not null default 'flagmeter' check (source in ('flagmeter', 'unleash')),
  size_bytes integer not null generated always as (
    coalesce(octet_length(data::text), 0) + coalesce(octet_length(pre_data::text), 0) + octet_length(tags::text)
    + coalesce(octet_length(comment), 0)
  ) stored,
  -- Revisions are compared without reading whole events.
  primary key (id) include (revision)
);

create index events_created on events (created_at desc, id desc);
create index events_of_type on events (type, created_at desc, id desc);
create index events_of_project on events (project, created_at desc, id desc);
create index events_of_feature on events (feature_name, created_at desc, id desc);
-- Lists show who created each feature, whatever happened to it since.
create index events_of_creation on events (feature_name, created_at, id) where type = 'feature-created';

-- Counting a large table takes too long. So each statement that writes or deletes events adds a row here, in the same transaction and
-- without waiting for others. The admin service adds the rows up regularly.
create table event_counts (
  id bigint generated always as identity primary key,
  count bigint not null
);

create function count_new_events() returns trigger language plpgsql as $$
begin
  insert into event_counts (count) select count(*) from changed having count(*) > 0;
  return null;
end $$;

create function count_gone_events() returns trigger language plpgsql as $$
begin
  insert into event_counts (count) select -count(*) from changed having count(*) > 0;
  return null;
end $$;

create function count_no_events() returns trigger language plpgsql as $$
begin
  insert into event_counts (count) select -sum(count) from event_counts having count(*) > 0;
  return null;
end $$;

create trigger events_counted after insert on events
  referencing new table as changed for each statement execute function count_new_events();
create trigger events_uncounted after delete on events
  referencing old table as changed for each statement execute function count_gone_events();
create trigger events_truncated after truncate on events
  for each statement execute function count_no_events();

comment on table events is 'Event log of this instance, oldest id first';
comment on column events.uid is 'Stays the same when the event is moved to another instance';
comment on column events.token is 'The token that was sent: its id, and the user and ADMIN token that made it';
comment on column events.source is 'Where it happened';
comment on column events.group_type is 'Type of the resource it belongs to, for example change-request';
comment on column events.comment is 'Why its author made the change';
comment on column events.size_bytes is 'Length of data, pre_data, tags and comment as text; long lists are read in pages of so many bytes';
comment on table event_counts is 'The sum of count is the number of events';

-- Verdicts as they were recorded, and who is told what: subscriptions, causes and deliveries.

create table verdicts (
  id bigint generated always as identity primary key,
  subject_type text not null check (subject_type in ('feature', 'application', 'relay', 'installation')),
  subject text not null,
  environment text not null,
  verdict text not null,
  sentence text not null,
  since timestamptz not null,
  evaluations bigint,
  appeared_at timestamptz not null default now(),
  absent_since timestamptz,
  ended_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by varchar(255),
  acknowledged_by_user_id integer,
  acknowledged_until timestamptz,
  acknowledgement text,
  unique (subject_type, subject, environment, verdict),
  check ((acknowledged_at is null) = (acknowledgement is null)),
  check (acknowledged_until is null or acknowledged_at is not null)
);

create index verdicts_ended on verdicts (ended_at) where ended_at is not null;

comment on table verdicts is 'The last time that each verdict held, on a subject in an environment';
comment on column verdicts.sentence is 'The explanation when it appeared';
comment on column verdicts.absent_since is 'It was not found since then; it ends if that lasts';
comment on column verdicts.acknowledged_until is 'Nobody is told of it until then; null while acknowledged: never again';
comment on column verdicts.acknowledgement is 'The reason that was given';

create table notification_subscriptions (
  id integer generated always as identity primary key,
  uid uuid not null unique default gen_random_uuid(),
  name varchar(255) not null,
  channel text not null check (channel in ('webhook', 'slack')),
  host text not null,
  sealed_url text not null default '',
  sealed_secret text not null default '',
  seal_id uuid not null default gen_random_uuid(),
  causes text[] not null,
  verdicts text[] not null default '{}',
  event_types text[] not null default '{}',
  project varchar(255),
  owner varchar(255),
  tag varchar(255),
  schedule text not null default 'at-once' check (schedule in ('at-once', 'daily', 'weekly')),
  hour smallint not null default 8 check (hour between 0 and 23),
  weekday smallint not null default 1 check (weekday between 1 and 7),
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  created_by varchar(255) not null,
  edited_by integer not null default -1337 references users (id),
  edited_by_token uuid references api_tokens (id),
  personal_token uuid references personal_access_tokens (id) on delete set null,
  delivered_at timestamptz
);

-- As features are.
create function clean_subscription() returns trigger language plpgsql set search_path = pg_catalog as $$
begin
  new.owner := nullif(public.clean_text(new.owner), '');
  new.tag := nullif(public.clean_tag(new.tag), '');
  return new;
end $$;

create trigger notification_subscriptions_cleaned before insert or update of owner, tag on notification_subscriptions
  for each row execute function clean_subscription();

comment on table notification_subscriptions is 'Who is told what, where and when';
comment on column notification_subscriptions.host is 'Host of the address, for people; the address itself may hold a secret';
comment on column notification_subscriptions.sealed_url is 'Address, encrypted with SECRETS_KEY; empty after an import, which brings no secrets';
comment on column notification_subscriptions.sealed_secret is 'Secret of the signature, encrypted with SECRETS_KEY; unused by Slack';
comment on column notification_subscriptions.edited_by is 'Who has edited it last, and must still be an Admin while it sends';
comment on column notification_subscriptions.edited_by_token is 'ADMIN token that acted, if edited_by is -42';
comment on column notification_subscriptions.personal_token is 'The personal token that was sent; once it is revoked, the subscription is paused';
comment on column notification_subscriptions.seal_id is 'Part of both encryptions, so that neither can be copied to another subscription';
comment on column notification_subscriptions.verdicts is 'Only these verdicts; empty for all';
comment on column notification_subscriptions.event_types is 'Only events of these types; empty for all';
comment on column notification_subscriptions.hour is 'Hour of a digest, in UTC';
comment on column notification_subscriptions.delivered_at is 'When its receiver last accepted a message';
comment on column notification_subscriptions.weekday is 'Day of a weekly digest; 1 is Monday';

-- The outbox: whoever changes something writes the cause in the same transaction, and waits for nobody.
create table notification_causes (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  kind text not null check (kind in ('verdict-appeared', 'verdict-ended', 'token-ending', 'event')),
  type text not null,
  project text,
  environment text,
  feature_name text,
  data jsonb not null
);

comment on table notification_causes is 'What happened and was not yet compared with the subscriptions';
comment on column notification_causes.type is 'The verdict, the type of the token or that of the event';

create table notification_deliveries (
  id uuid primary key default gen_random_uuid(),
  subscription_id integer not null references notification_subscriptions on delete cascade,
  cause_id bigint,
  type text not null,
  data jsonb not null,
  state text not null check (state in ('held', 'gathered', 'pending', 'delivered', 'failed')),
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),
  attempts integer not null default 0,
  attempted_at timestamptz,
  delivered_at timestamptz,
  problem text,
  gathered_in uuid,
  unique (subscription_id, cause_id)
);

create index notification_deliveries_due on notification_deliveries (subscription_id, due_at, cause_id) where state = 'pending';
create index notification_deliveries_held on notification_deliveries (subscription_id, due_at) where state = 'held';
create index notification_deliveries_failed on notification_deliveries (subscription_id) where state = 'failed';
create index notification_deliveries_attempted on notification_deliveries (subscription_id, attempted_at desc) where attempted_at is not null;
create index notification_deliveries_queued on notification_deliveries (queued_at);
create index notification_deliveries_of_subscription on notification_deliveries (subscription_id, created_at desc);
create index notification_deliveries_created on notification_deliveries (created_at);

comment on table notification_deliveries is 'One message for each cause and subscription; its id stays the same in all attempts';
comment on column notification_deliveries.cause_id is 'Null for summaries and tests';
comment on column notification_deliveries.state is
  'held: waits for a summary; gathered: is part of one; pending: is sent at due_at; failed: given up after a day';
comment on column notification_deliveries.queued_at is 'When it became pending';
comment on column notification_deliveries.problem is 'Why the last attempt failed';
comment on column notification_deliveries.gathered_in is 'The summary that holds it';

-- Each event is a cause, whoever writes it. Old events, as an import brings them, are none. Drafts of change requests are private.
create function note_causes_of_events() returns trigger language plpgsql as $$
begin
  insert into notification_causes (created_at, kind, type, project, environment, feature_name, data)
  select
    e.created_at,
    'event',
    e.type,
    e.project,
    e.environment,
    e.feature_name,
    jsonb_build_object('eventId', e.id, 'createdBy', e.created_by, 'changeRequestId', case e.group_type when 'change-request' then e.group_id end)
  from changed as e
  where e.created_at > now() - interval '1 hour'
    and exists (select from notification_subscriptions where enabled)
    and not exists (
      select
      from change_requests as c
      where e.group_type = 'change-request'
        and c.id::text = e.group_id
        and c.state = 'Draft'
    );
  return null;
end $$;

create trigger events_are_causes after insert on events
  referencing new table as changed for each statement execute function note_causes_of_events();

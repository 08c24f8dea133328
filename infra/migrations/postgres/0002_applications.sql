-- Applications and instances that relays reported.

-- ClickHouse has copies of some tables. It compares their revisions, so that neither a clock nor a number that comes again after a restore
-- hides a change.
create function renew_revision() returns trigger language plpgsql as $$
begin
  new.revision := gen_random_uuid();
  return new;
end $$;

create table client_applications (
  app_name varchar(255) primary key,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  seen_at timestamptz not null,
  strategies jsonb not null default '[]',
  description text,
  url text,
  color text,
  icon text,
  created_by text not null
);

create index client_applications_seen on client_applications (seen_at, app_name);

create table client_applications_usage (
  app_name varchar(255) not null references client_applications (app_name) on delete cascade,
  project varchar(255) not null,
  environment varchar(100) not null,
  seen_at timestamptz not null,
  primary key (app_name, project, environment)
);

create table client_instances (
  app_name varchar(255) not null references client_applications (app_name) on delete cascade,
  environment varchar(100) not null,
  instance_id varchar(255) not null,
  sdk_version varchar(255),
  sdk_type varchar(255),
  platform_name varchar(255),
  platform_version varchar(255),
  yggdrasil_version varchar(255),
  connect_via jsonb not null default '[]',
  interval_ms integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  reporting_since timestamptz not null default now(),
  last_seen timestamptz not null,
  revision uuid not null default gen_random_uuid(),
  primary key (app_name, environment, instance_id)
);

create trigger client_instances_renewed before update on client_instances
  for each row execute function renew_revision();

comment on table client_applications is 'Applications that evaluate features';
comment on table client_applications_usage is 'Projects and environments in which an application evaluates features';
comment on table client_instances is 'Running instances of applications';
comment on column client_applications_usage.seen_at is 'Day on which it was last reported';
comment on column client_instances.yggdrasil_version is 'Version of the evaluation engine in its SDK';
comment on column client_instances.connect_via is 'Relays that forwarded its last report, with appName and instanceId';
comment on column client_instances.interval_ms is 'Reporting interval that its SDK sent';
comment on column client_instances.reporting_since is 'Since then no pause was longer than 3 intervals and 3 minutes';

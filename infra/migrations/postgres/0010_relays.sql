-- Relays as they describe themselves, and the relays behind them. Their token names the owner: a relay of one token cannot
-- overwrite that of another.

create table relays (
  token_id text not null,
  app_name varchar(255) not null,
  relay_id varchar(255) not null,
  parent_id varchar(255),
  root_id varchar(255) not null,
  depth smallint not null,
  environment varchar(255) not null,
  version varchar(255),
  region varchar(255),
  hosting varchar(255),
  started_at timestamptz,
  first_seen_at timestamptz not null,
  last_report_at timestamptz not null,
  covered_ms integer not null,
  report_interval_ms integer,
  requests bigint not null,
  refused bigint,
  refused_total bigint,
  cpu_seconds double precision,
  cpu_seconds_total double precision,
  memory_bytes bigint,
  streaming_clients integer,
  latency jsonb not null default '{}',
  revisions jsonb not null default '[]',
  primary key (token_id, app_name, relay_id)
);

create index relays_of_root on relays (token_id, root_id);
create index relays_reported on relays (last_report_at);
-- The successor of each silent relay is looked up.
create index relays_started on relays (token_id, app_name, started_at);

comment on table relays is 'The newest report of each relay';
comment on column relays.relay_id is 'Identifier that the relay chose; new whenever an Unleash Edge starts';
comment on column relays.parent_id is 'The relay that it reports to; null if it reports to flagmeter';
comment on column relays.root_id is 'The relay that passed its report to flagmeter; its own id if it reports to flagmeter';
comment on column relays.depth is 'Relays between it and flagmeter';
comment on column relays.environment is 'Environment of the token';
comment on column relays.covered_ms is 'Time that the numbers of its last report cover';
comment on column relays.report_interval_ms is 'Time between its last two reports; null after the first one';
comment on column relays.requests is 'Requests in its last report';
comment on column relays.refused is 'Refused requests (403) in its last report; null if it does not report them';
comment on column relays.refused_total is 'The same since it started';
comment on column relays.latency is 'Average and 99th percentile of its own requests for features, metrics and reports since it started, in ms';
comment on column relays.revisions is 'Revision of the configuration that it holds, for each environment and its projects';

-- Whether another relay of the same name started when it fell silent. Written into the view, it makes Postgres expect so much work that it
-- compiles each query on it, which takes longer than the query.
create function was_replaced(r relays) returns boolean language sql stable as $$
  select exists (
    select
    from relays as successor
    where successor.token_id = r.token_id
      and successor.app_name = r.app_name
      and successor.region is not distinct from r.region
      and successor.relay_id <> r.relay_id
      and successor.started_at between r.last_report_at - interval '2 minutes' and r.last_report_at + interval '10 minutes'
  )
$$;

-- An Edge reports each minute, or up to every eleven minutes while Unleash answers 404. It sends a last report when it stops in order, earlier than
-- a minute after the one before. A relay whose successor started when it fell silent was replaced.
create view relay_states as
select
  r.*,
  case
    when r.last_report_at > now() - greatest(300000, 2.5 * least(coalesce(r.report_interval_ms, 0), 900000)) * interval '1 ms'
      then 'reporting'
    when r.depth = 0 and r.report_interval_ms < 50000 then 'stopped'
    when was_replaced(r) then 'stopped'
    else 'silent'
  end as state
from relays as r;

comment on view relay_states is 'Relays, and whether each is reporting, stopped or silent';

-- Other environments and other projects have other revisions.
create view relay_revisions as
select
  s.token_id,
  s.app_name,
  s.relay_id,
  s.state,
  held.environment,
  held.projects,
  held.revision,
  greatest(
    held.revision,
    max(held.revision) filter (where s.state = 'reporting') over (partition by held.environment, held.projects)
  ) as newest_revision
from relay_states as s
cross join lateral jsonb_to_recordset(s.revisions) as held (environment text, projects jsonb, revision bigint);

comment on view relay_revisions is 'What each relay holds, beside the newest revision that any reporting relay holds';

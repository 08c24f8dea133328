-- Bodies that ingest did not accept: who sends them, and why. They are no counts, and nothing of them is stored but the names of
-- headers and the place of the first problem.

create table rejected_bodies (
  day date not null,
  token_id text not null,
  problem text not null,
  status smallint not null,
  path text not null,
  place text not null,
  message text not null,
  app_name varchar(100) not null,
  sdk varchar(100) not null,
  bodies bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (day, token_id, problem)
);

create table rejected_body_writers (
  writer uuid primary key,
  writes integer not null,
  written_at timestamptz not null
);

comment on table rejected_bodies is 'Bodies that ingest did not accept, by day, token and problem; kept for 30 days';
comment on column rejected_bodies.day is 'Day (UTC) of the receipt';
comment on column rejected_bodies.token_id is 'Token of the sender; empty if it had no valid one';
comment on column rejected_bodies.path is 'Path of the endpoint, of an example of the last minute';
comment on column rejected_bodies.place is 'Place in the body of that example, without names and values of the sender; empty for the whole body';
comment on column rejected_bodies.app_name is 'Header Unleash-AppName of that example, shortened; empty without it';
comment on column rejected_bodies.sdk is 'Header Unleash-SDK or User-Agent of that example, shortened; empty without it';
comment on table rejected_body_writers is
  'The last write of each ingest process, so that a write whose outcome was unknown is not added twice';

-- Up Migration

create table dead_letter_replays (
  topic text not null,
  epoch integer not null,
  partition integer not null,
  "offset" bigint not null,
  is_duplicate boolean not null,
  started_at timestamptz not null default now(),
  primary key (topic, epoch, partition, "offset")
);
comment on table dead_letter_replays is
  'Dead letters whose INSERT into ClickHouse is in doubt: the next replay repeats it exactly before it does anything else';
comment on column dead_letter_replays.is_duplicate is 'Whether its batch had been counted already: the INSERT must not change';

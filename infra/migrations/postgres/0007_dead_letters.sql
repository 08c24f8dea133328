-- Replays of dead letters.

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
  'Dead letters whose INSERT into ClickHouse has an unknown outcome: the next replay first repeats exactly that INSERT';
comment on column dead_letter_replays.is_duplicate is 'Whether its batch had already been counted: the repeated INSERT must be the same';

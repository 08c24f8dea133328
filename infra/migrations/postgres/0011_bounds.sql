-- What bounds the admin API.

-- Long lists are read in pages of so many bytes.
alter table events
  add column size_bytes integer not null generated always as (
    coalesce(octet_length(data::text), 0) + coalesce(octet_length(pre_data::text), 0) + octet_length(tags::text)
  ) stored;

comment on column events.size_bytes is 'What data, pre_data and tags take, written out';

create table daily_writes (
  user_id integer primary key references users (id) on delete cascade,
  began_at timestamptz not null,
  writes integer not null,
  bytes bigint not null
);

comment on table daily_writes is 'What users who are not Admins sent to be stored since began_at, for a day';

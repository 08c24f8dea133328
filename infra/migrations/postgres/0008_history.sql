-- History of Unleash, copied here before it is counted, so that an interrupted import continues with the same rows.

create table history_imports (
  number integer primary key,
  from_time timestamptz not null,
  before_time timestamptz not null,
  started_at timestamptz not null,
  days jsonb not null,
  messages bigint not null,
  stored_to bigint not null default 0,
  intent_to bigint,
  intent_at timestamptz
);
comment on table history_imports is
  'Imports of Unleash''s history, from_time up to before_time. The next one begins where the last one ends';
comment on column history_imports.days is 'The days that it holds, with the table of Unleash and its sums at that moment';
comment on column history_imports.messages is 'Its messages in history_messages';
comment on column history_imports.stored_to is 'Messages before this offset are in ClickHouse';
comment on column history_imports.intent_to is
  'The messages from stored_to to here may be in ClickHouse: the next run first completes exactly this block';

create table history_messages (
  import integer not null references history_imports,
  "offset" bigint not null,
  value bytea not null,
  primary key (import, "offset")
);
comment on table history_messages is 'Rows of Unleash in the format of the counts topic';

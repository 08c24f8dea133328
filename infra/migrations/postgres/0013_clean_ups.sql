-- The board of the clean-up: how far the removal of each flag is that can go.

create table clean_ups (
  feature_name varchar(255) primary key references features (name) on delete cascade,
  stage text not null default 'found' check (stage in ('found', 'told', 'removal', 'gone', 'archived')),
  since timestamptz not null default now(),
  moved_by varchar(255),
  held_at timestamptz,
  told_at timestamptz,
  told_to varchar(255),
  url text,
  change_request_id integer references change_requests (id) on delete set null
);

create index clean_ups_since on clean_ups (since desc);

-- Whether somebody was told of a flag is looked up by its name.
create index notification_deliveries_of_feature on notification_deliveries ((data ->> 'featureName'))
  where type = 'verdict.appeared';

comment on table clean_ups is 'Flags that can go, and how far their removal is';
comment on column clean_ups.since is 'When it came to this stage';
comment on column clean_ups.moved_by is 'Who has moved it there; null if flagmeter has';
comment on column clean_ups.held_at is 'When somebody has moved it back: only what happened later moves it on';
comment on column clean_ups.told_at is 'When somebody was first told of a verdict on it, or has acknowledged one';
comment on column clean_ups.told_to is 'Name of the subscription or the person';
comment on column clean_ups.url is 'Where it is being removed, for example a pull request';
comment on column clean_ups.change_request_id is 'The change request that archives it';

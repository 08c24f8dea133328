-- Tables that analysts join with. The catalogue sync of the worker fills them from Postgres, so no query needs a
-- second database. Each change is a new row. The latest row of a key counts.

create table if not exists feature_copies {on_cluster}
(
    name String comment 'Name of the feature',
    project String comment 'Project of the feature',
    type LowCardinality(String) comment 'release, experiment, operational, kill-switch, permission, ...',
    archived Bool comment 'Whether it is archived',
    stale Bool comment 'Whether somebody marked it as stale',
    created_at DateTime('UTC') comment 'When it was created',
    enabled_in Array(String) comment 'Environments in which it is on, by name',
    copied_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written',
    is_gone UInt8 comment '1 if it does not exist any more'
)
engine = {engine}ReplacingMergeTree(copied_at, is_gone)
order by name
comment 'Features as Postgres has them. Read features instead';

create table if not exists instance_copies {on_cluster}
(
    app_name String comment 'Application of the instance',
    environment String comment 'Environment of the instance',
    instance_id String comment 'Name of the instance according to its SDK',
    sdk_version String comment 'SDK and its version; empty if never reported',
    interval_ms UInt32 comment 'Time between two reports in milliseconds; 0 if never reported',
    first_seen DateTime('UTC') comment 'Time of the first report',
    last_seen DateTime('UTC') comment 'Time of the last report',
    updated_at DateTime64(3, 'UTC') comment 'Time of the last write to Postgres'
)
engine = {engine}ReplacingMergeTree(updated_at)
order by (app_name, environment, instance_id)
ttl last_seen + interval 30 day
comment 'Instances as Postgres has them. Read instances instead';

create view if not exists features {on_cluster}
(
    feature_name String comment 'Name of the feature',
    project String comment 'Project of the feature',
    type LowCardinality(String) comment 'release, experiment, operational, kill-switch, permission, ...',
    archived Bool comment 'Whether it is archived',
    stale Bool comment 'Whether somebody marked it as stale',
    created_at DateTime('UTC') comment 'When it was created',
    enabled_in Array(String) comment 'Environments in which it is on, by name'
)
definer = current_user sql security definer
as select name as feature_name, project, type, archived, stale, created_at, enabled_in
from feature_copies final
comment 'Existing features, including archived ones; up to half a minute behind the admin API';

create view if not exists instances {on_cluster}
(
    app_name String comment 'Application of the instance',
    environment String comment 'Environment of the instance',
    instance_id String comment 'Name of the instance according to its SDK',
    sdk_version String comment 'SDK and its version; empty if never reported',
    interval_ms UInt32 comment 'Time between two reports in milliseconds; 0 if never reported',
    first_seen DateTime('UTC') comment 'Time of the first report',
    last_seen DateTime('UTC') comment 'Time of the last report'
)
definer = current_user sql security definer
as select app_name, environment, instance_id, sdk_version, interval_ms, first_seen, last_seen
from instance_copies final
-- A merge deletes expired rows, at any later time.
where last_seen >= now('UTC') - interval 30 day
comment 'Instances of applications that were reported in the last 30 days; up to half a minute behind';

-- Tables that analysts join with. The catalogue sync of the worker fills them from Postgres, so no query needs a
-- second database. Each change is a new row. The row of a key with the highest number of a copy counts.

create table if not exists feature_copies {on_cluster}
(
    name String comment 'Name of the feature',
    project String comment 'Project of the feature',
    type LowCardinality(String) comment 'release, experiment, operational, kill-switch, permission, ...',
    archived Bool comment 'Whether it is archived',
    stale Bool comment 'Whether somebody marked it as stale',
    source LowCardinality(String) comment 'Who owns it: flagmeter, unleash, or opentelemetry for a feature that only another flag system has',
    provider LowCardinality(String) comment 'The flag system of a feature that only another one has, as the SDK names it; else empty',
    owner String comment 'Team or person responsible for it; empty if none',
    tags Array(String) comment 'Tags in the form type:value, in their order',
    guards Array(Tuple(metric String, direction String, threshold Float64, above Nullable(Float64), turn_off Array(String))) comment 'Impact metrics that must not become worse: which direction is worse, the accepted change, the bound of a histogram, and the environments in which flagmeter turns the feature off',
    created_at DateTime('UTC') comment 'When it was created',
    enabled_in Array(String) comment 'Environments in which it is on, by name',
    environments Array(String) comment 'Environments in which it has a configuration; one element here for each of them',
    are_enabled Array(Bool) comment 'Whether it is on',
    strategies Array(String) comment 'Strategies with parameters, constraints and variants, as JSON',
    rollout_percents Array(Nullable(Float64)) comment 'Share of contexts for which it is on, in percent; null if it depends on the context',
    constraints Array(String) comment 'Constraints of the strategies that are not disabled, as JSON',
    variants Array(Map(String, UInt32)) comment 'Weights of the variants in thousandths; empty if there are none, or others for each strategy',
    changed_at Array(DateTime64(3, 'UTC')) comment 'Since when the configuration is in force',
    revision UUID comment 'Revision of the row in Postgres, which each change renews',
    copy UInt64 comment 'Number of the copy; the highest one counts',
    copied_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written',
    is_gone UInt8 comment '1 if it does not exist any more'
)
engine = {engine}ReplacingMergeTree(copy, is_gone)
order by name
comment 'Features as Postgres has them. Read features instead';

create table if not exists past_configuration_copies {on_cluster}
(
    id UInt64 comment 'Number of the configuration in Postgres',
    feature_name String comment 'Name of the feature',
    environment String comment 'Environment of the configuration',
    enabled Bool comment 'Whether it was on',
    strategies String comment 'Strategies with parameters, constraints and variants, as JSON',
    rollout_percent Nullable(Float64) comment 'Share of contexts for which it was on, in percent; null if it depended on the context',
    constraints String comment 'Constraints of the strategies that were not disabled, as JSON',
    variants Map(String, UInt32) comment 'Weights of the variants in thousandths; empty if there were none, or others for each strategy',
    valid_from DateTime64(3, 'UTC') comment 'When it came into force',
    valid_to DateTime64(3, 'UTC') comment 'When it was replaced or deleted',
    revision UUID comment 'Revision of the row in Postgres, which each change renews',
    copy UInt64 comment 'Number of the copy; the highest one counts',
    copied_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written',
    is_gone UInt8 comment '1 if Postgres has lost it',

    index of_id id type minmax granularity 1
)
engine = {engine}ReplacingMergeTree(copy, is_gone)
order by (feature_name, environment, id, revision)
ttl toDateTime(valid_to) + interval 25 month
comment 'Replaced configurations of features. Read feature_configuration_history instead';

create table if not exists event_copies {on_cluster}
(
    id UInt64 comment 'Number of the event in Postgres',
    created_at DateTime64(3, 'UTC') comment 'When it happened',
    type LowCardinality(String) comment 'Type of event, for example feature-environment-enabled',
    project LowCardinality(String) comment 'Project; empty if none',
    environment LowCardinality(String) comment 'Environment; empty if none',
    feature_name String comment 'Feature; empty if none',
    created_by String comment 'User or token that caused it',
    before String comment 'State before, as JSON; empty if none',
    after String comment 'State after, as JSON; empty if none',
    change_request_id UInt32 comment 'Change request that caused it; 0 if none',
    revision UUID comment 'Revision of the row in Postgres, which each change renews',
    copy UInt64 comment 'Number of the copy; the highest one counts',
    copied_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written',
    is_gone UInt8 comment '1 if Postgres has lost it',

    index of_id id type minmax granularity 1,
    index of_feature feature_name type bloom_filter granularity 1
)
engine = {engine}ReplacingMergeTree(copy, is_gone)
order by (created_at, id, revision)
ttl toDateTime(created_at) + interval 25 month
comment 'Events of the configuration. Read events instead';

create table if not exists change_request_copies {on_cluster}
(
    id UInt32 comment 'Number of the change request',
    project String comment 'Project of the features',
    environment String comment 'Environment of the changes',
    title String comment 'Title; empty if none',
    state LowCardinality(String) comment 'Draft, In review, Approved, Scheduled, Applied, Cancelled or Rejected',
    state_since DateTime64(3, 'UTC') comment 'When it entered the state',
    features Array(String) comment 'Features that it changes, by name',
    changes UInt32 comment 'Number of its changes',
    required_approvals UInt32 comment 'Approvals that it needs',
    created_by String comment 'User or token that opened it',
    created_at DateTime64(3, 'UTC') comment 'When it was opened',
    changed_at DateTime64(3, 'UTC') comment 'When it or the list of its changes last changed',
    revision UUID comment 'Revision of the row in Postgres, which each change renews',
    copy UInt64 comment 'Number of the copy; the highest one counts',
    copied_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written',
    is_gone UInt8 comment '1 if it does not exist any more'
)
engine = {engine}ReplacingMergeTree(copy, is_gone)
order by id
comment 'Change requests as Postgres has them. Read change_requests instead';

create table if not exists project_copies {on_cluster}
(
    id String comment 'Id of the project',
    name String comment 'Display name',
    archived Bool comment 'Whether it is archived',
    created_at DateTime('UTC') comment 'When it was created',
    revision UUID comment 'Revision of the row in Postgres, which each change renews',
    copy UInt64 comment 'Number of the copy; the highest one counts',
    copied_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written',
    is_gone UInt8 comment '1 if it does not exist any more'
)
engine = {engine}ReplacingMergeTree(copy, is_gone)
order by id
comment 'Projects as Postgres has them. Read projects instead';

create table if not exists environment_copies {on_cluster}
(
    name String comment 'Name of the environment',
    type LowCardinality(String) comment 'development, test, production, ...',
    enabled Bool comment 'Whether it is in use',
    sort_order Int32 comment 'Position in lists; small numbers come first',
    created_at DateTime('UTC') comment 'When it was created',
    revision UUID comment 'Revision of the row in Postgres, which each change renews',
    copy UInt64 comment 'Number of the copy; the highest one counts',
    copied_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written',
    is_gone UInt8 comment '1 if it does not exist any more'
)
engine = {engine}ReplacingMergeTree(copy, is_gone)
order by name
comment 'Environments as Postgres has them. Read environments instead';

create table if not exists code_repository_copies {on_cluster}
(
    id UInt32 comment 'Number of the branch in Postgres',
    repository String comment 'Name of the repository, for example github.com/acme/shop',
    branch String comment 'The scanned branch',
    commit String comment 'The scanned commit',
    committed_at DateTime64(3, 'UTC') comment 'When it was committed',
    pushed_at DateTime64(6, 'UTC') comment 'When the references were pushed',
    feature_names Array(String) comment 'The name of each reference; one element here for each of them',
    paths Array(String) comment 'Path of the file from the root of the repository',
    lines Array(UInt32) comment 'Number of the line, from 1',
    kinds Array(LowCardinality(String)) comment 'call or mention',
    revision UUID comment 'Revision of the row in Postgres, which each change renews',
    copy UInt64 comment 'Number of the copy; the highest one counts',
    copied_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written',
    is_gone UInt8 comment '1 if it does not exist any more'
)
engine = {engine}ReplacingMergeTree(copy, is_gone)
order by id
comment 'Scanned branches of repositories as Postgres has them. Read code_references instead';

create table if not exists instance_copies {on_cluster}
(
    app_name String comment 'Application of the instance',
    environment String comment 'Environment of the instance',
    instance_id String comment 'Name of the instance according to its SDK',
    sdk_version String comment 'SDK and its version; empty if never reported',
    platform_name String comment 'Runtime of its SDK, for example node; empty if never reported',
    platform_version String comment 'Version of the runtime; empty if never reported',
    yggdrasil_version String comment 'Version of the evaluation engine in its SDK; empty if never reported',
    relays Array(String) comment 'Names of the relays that forwarded its last report, as they sent them; empty if none did',
    relay_instances Array(String) comment 'Instance of each of these relays; new whenever an Unleash Edge starts',
    interval_ms UInt32 comment 'Time between two reports in milliseconds; 0 if never reported',
    first_seen DateTime('UTC') comment 'Time of the first report',
    reporting_since DateTime('UTC') comment 'Since then no pause between two reports was longer than 3 intervals and 3 minutes',
    last_seen DateTime('UTC') comment 'Time of the last report',
    revision UUID comment 'Revision of the row in Postgres, which each change renews',
    copy UInt64 comment 'Number of the copy; the highest one counts',
    copied_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written',
    is_gone UInt8 comment '1 if it does not exist any more'
)
engine = {engine}ReplacingMergeTree(copy, is_gone)
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
    source LowCardinality(String) comment 'Who owns it: flagmeter, unleash, or opentelemetry for a feature that only another flag system has',
    provider LowCardinality(String) comment 'The flag system of a feature that only another one has, as the SDK names it; else empty',
    owner String comment 'Team or person responsible for it; empty if none',
    tags Array(String) comment 'Tags in the form type:value, in their order',
    guards Array(Tuple(metric String, direction String, threshold Float64, above Nullable(Float64), turn_off Array(String))) comment 'Impact metrics that must not become worse: which direction is worse, the accepted change, the bound of a histogram, and the environments in which flagmeter turns the feature off',
    created_at DateTime('UTC') comment 'When it was created',
    enabled_in Array(String) comment 'Environments in which it is on, by name'
)
definer = current_user sql security definer
as select name as feature_name, project, type, archived, stale, source, provider, owner, tags, guards, created_at, enabled_in
from feature_copies final
comment 'Existing features, including archived ones; up to half a minute behind the admin API';

create view if not exists instances {on_cluster}
(
    app_name String comment 'Application of the instance',
    environment String comment 'Environment of the instance',
    instance_id String comment 'Name of the instance according to its SDK',
    sdk_version String comment 'SDK and its version; empty if never reported',
    platform_name String comment 'Runtime of its SDK, for example node; empty if never reported',
    platform_version String comment 'Version of the runtime; empty if never reported',
    yggdrasil_version String comment 'Version of the evaluation engine in its SDK; empty if never reported',
    relays Array(String) comment 'Names of the relays that forwarded its last report, as they sent them; empty if none did',
    relay_instances Array(String) comment 'Instance of each of these relays; new whenever an Unleash Edge starts',
    interval_ms UInt32 comment 'Time between two reports in milliseconds; 0 if never reported',
    first_seen DateTime('UTC') comment 'Time of the first report',
    reporting_since DateTime('UTC') comment 'Since then no pause between two reports was longer than 3 intervals and 3 minutes',
    last_seen DateTime('UTC') comment 'Time of the last report'
)
definer = current_user sql security definer
as select
    app_name,
    environment,
    instance_id,
    sdk_version,
    platform_name,
    platform_version,
    yggdrasil_version,
    relays,
    relay_instances,
    interval_ms,
    first_seen,
    reporting_since,
    last_seen
from instance_copies final
-- A merge deletes expired rows, at any later time.
where last_seen >= now('UTC') - interval 30 day
comment 'Instances of applications that were reported in the last 30 days; up to half a minute behind';

create view if not exists projects {on_cluster}
(
    project String comment 'Id of the project',
    name String comment 'Display name',
    archived Bool comment 'Whether it is archived',
    created_at DateTime('UTC') comment 'When it was created'
)
definer = current_user sql security definer
as select id as project, name, archived, created_at
from project_copies final
comment 'Existing projects, including archived ones; up to half a minute behind the admin API';

create view if not exists environments {on_cluster}
(
    environment String comment 'Name of the environment',
    type LowCardinality(String) comment 'development, test, production, ...',
    enabled Bool comment 'Whether it is in use',
    sort_order Int32 comment 'Position in lists; small numbers come first',
    created_at DateTime('UTC') comment 'When it was created'
)
definer = current_user sql security definer
as select name as environment, type, enabled, sort_order, created_at
from environment_copies final
comment 'Existing environments; up to half a minute behind the admin API';

create view if not exists code_references {on_cluster}
(
    feature_name String comment 'A feature, or a name that no feature has',
    repository String comment 'Name of the repository, for example github.com/acme/shop',
    branch String comment 'The scanned branch',
    path String comment 'Path of the file from the root of the repository',
    line UInt32 comment 'Number of the line, from 1',
    kind LowCardinality(String) comment 'call: the name is an argument of an SDK; mention: anything else',
    commit String comment 'The scanned commit',
    committed_at DateTime64(3, 'UTC') comment 'When it was committed',
    pushed_at DateTime64(6, 'UTC') comment 'When the references were pushed'
)
definer = current_user sql security definer
as select
    feature_name,
    repository,
    branch,
    path,
    line,
    kind,
    commit,
    committed_at,
    pushed_at
from code_repository_copies final
array join
    feature_names as feature_name,
    paths as path,
    lines as line,
    kinds as kind
comment 'Lines of code that name a feature, as flagmeter scan pushed them; up to half a minute behind the admin API';

create view if not exists feature_configurations {on_cluster}
(
    feature_name String comment 'Name of the feature',
    project String comment 'Project of the feature',
    environment String comment 'Environment of the configuration',
    enabled Bool comment 'Whether it is on; an archived feature is off for SDKs all the same',
    strategies String comment 'Strategies with parameters, constraints and variants, as JSON',
    rollout_percent Nullable(Float64) comment 'Share of contexts for which it is on, in percent; null if it depends on the context',
    constraints String comment 'Constraints of the strategies that are not disabled, as JSON',
    variants Map(String, UInt32) comment 'Weights of the variants in thousandths; empty if there are none, or others for each strategy',
    changed_at DateTime64(3, 'UTC') comment 'Since when the configuration is in force'
)
definer = current_user sql security definer
as select
    name as feature_name,
    project,
    environment,
    is_on as enabled,
    one_strategies as strategies,
    rollout_percent,
    one_constraints as constraints,
    one_variants as variants,
    since as changed_at
from feature_copies final
array join
    environments as environment,
    are_enabled as is_on,
    strategies as one_strategies,
    rollout_percents as rollout_percent,
    constraints as one_constraints,
    variants as one_variants,
    changed_at as since
comment 'How each feature is configured now in each environment; up to half a minute behind the admin API';

create view if not exists feature_configuration_history {on_cluster}
(
    feature_name String comment 'Name of the feature',
    environment String comment 'Environment of the configuration',
    enabled Bool comment 'Whether it was on',
    strategies String comment 'Strategies with parameters, constraints and variants, as JSON',
    rollout_percent Nullable(Float64) comment 'Share of contexts for which it was on, in percent; null if it depended on the context',
    constraints String comment 'Constraints of the strategies that were not disabled, as JSON',
    variants Map(String, UInt32) comment 'Weights of the variants in thousandths; empty if there were none, or others for each strategy',
    valid_from DateTime64(3, 'UTC') comment 'When it came into force',
    valid_to Nullable(DateTime64(3, 'UTC')) comment 'When it was replaced or deleted; null if it is in force'
)
definer = current_user sql security definer
as select
    feature_name,
    environment,
    enabled,
    strategies,
    rollout_percent,
    constraints,
    variants,
    valid_from,
    valid_to::Nullable(DateTime64(3, 'UTC')) as valid_to
from past_configuration_copies final
union all
select
    feature_name,
    environment,
    enabled,
    strategies,
    rollout_percent,
    constraints,
    variants,
    changed_at as valid_from,
    null::Nullable(DateTime64(3, 'UTC')) as valid_to
from feature_configurations
comment 'Each configuration of each feature and the time for which it was in force; replaced ones are kept for 25 months; up to half a minute behind';

create view if not exists change_requests {on_cluster}
(
    change_request_id UInt32 comment 'Number of the change request',
    project String comment 'Project of the features',
    environment String comment 'Environment of the changes',
    title String comment 'Title; empty if none',
    state LowCardinality(String) comment 'Draft, In review, Approved, Scheduled, Applied, Cancelled or Rejected',
    state_since DateTime64(3, 'UTC') comment 'When it entered the state',
    features Array(String) comment 'Features that it changes, by name',
    changes UInt32 comment 'Number of its changes',
    required_approvals UInt32 comment 'Approvals that it needs',
    created_by String comment 'User or token that opened it',
    created_at DateTime64(3, 'UTC') comment 'When it was opened',
    changed_at DateTime64(3, 'UTC') comment 'When it or the list of its changes last changed'
)
definer = current_user sql security definer
as select
    id as change_request_id,
    project,
    environment,
    title,
    state,
    state_since,
    features,
    changes,
    required_approvals,
    created_by,
    created_at,
    changed_at
from change_request_copies final
comment 'Change requests as they are now; up to half a minute behind the admin API';

create view if not exists events {on_cluster}
(
    event_id UInt64 comment 'Number of the event',
    created_at DateTime64(3, 'UTC') comment 'When it happened',
    type LowCardinality(String) comment 'Type of event, for example feature-environment-enabled',
    project LowCardinality(String) comment 'Project; empty if none',
    environment LowCardinality(String) comment 'Environment; empty if none',
    feature_name String comment 'Feature; empty if none',
    created_by String comment 'User or token that caused it',
    before String comment 'State before, as JSON; empty if none',
    after String comment 'State after, as JSON; empty if none',
    change_request_id UInt32 comment 'Change request that caused it; 0 if none'
)
definer = current_user sql security definer
as select
    id as event_id,
    created_at,
    type,
    project,
    environment,
    feature_name,
    created_by,
    before,
    after,
    change_request_id
from event_copies final
comment 'Changes of features, projects, environments, strategies and change requests in the last 25 months, without those of users and tokens; up to half a minute behind';

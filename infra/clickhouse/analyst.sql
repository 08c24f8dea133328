-- The role of analysts. It may only read the views, within limits that it cannot raise.
-- Run it once as an administrator, after `flagmeter migrate`:  clickhouse-client --multiquery < analyst.sql
-- Then, for each person:  create user ada identified by '...' default role analyst; grant analyst to ada;

-- readonly = 2 because 1 rejects the formats and timeouts that drivers (JDBC, Grafana, notebooks) set. Settings that
-- could raise a limit are constant.
create settings profile if not exists analyst settings
    readonly = 2,
    max_execution_time = 60 min 1 max 300,
    max_memory_usage = 1000000000 const,
    max_temporary_data_on_disk_size_for_query = 10000000000 const,
    max_memory_usage_for_user = 1500000000 const,
    max_concurrent_queries_for_user = 16 const,
    max_temporary_data_on_disk_size_for_user = 20000000000 const,
    max_rows_to_read = 2000000000 const,
    max_result_rows = 1000000 const,
    max_result_bytes = 500000000 const;

create role if not exists analyst settings profile 'analyst';

grant select on flagmeter.accounting to analyst;
grant select on flagmeter.app_seen to analyst;
grant select on flagmeter.app_totals_by_day to analyst;
grant select on flagmeter.app_totals_by_hour to analyst;
grant select on flagmeter.app_usage to analyst;
grant select on flagmeter.app_verdicts to analyst;
grant select on flagmeter.app_verdicts_at to analyst;
grant select on flagmeter.change_requests to analyst;
grant select on flagmeter.code_references to analyst;
grant select on flagmeter.coverage_by_app to analyst;
grant select on flagmeter.environments to analyst;
grant select on flagmeter.events to analyst;
grant select on flagmeter.experiment_results to analyst;
grant select on flagmeter.feature_configuration_history to analyst;
grant select on flagmeter.feature_configurations to analyst;
grant select on flagmeter.feature_impact to analyst;
grant select on flagmeter.feature_seen to analyst;
grant select on flagmeter.feature_usage to analyst;
grant select on flagmeter.feature_variants to analyst;
grant select on flagmeter.feature_verdicts to analyst;
grant select on flagmeter.feature_verdicts_at to analyst;
grant select on flagmeter.features to analyst;
grant select on flagmeter.flag_debt_by_day to analyst;
grant select on flagmeter.gauges_by_hour to analyst;
grant select on flagmeter.harmful_by_evidence to analyst;
grant select on flagmeter.hottest_constant_flags to analyst;
grant select on flagmeter.impact_by_day to analyst;
grant select on flagmeter.exposures_by_hour to analyst;
grant select on flagmeter.exposures_by_day to analyst;
grant select on flagmeter.impact_by_hour to analyst;
grant select on flagmeter.impact_histograms_by_hour to analyst;
grant select on flagmeter.impact_metrics to analyst;
grant select on flagmeter.instances to analyst;
grant select on flagmeter.projects to analyst;
grant select on flagmeter.reasons_by_day to analyst;
grant select on flagmeter.reasons_by_hour to analyst;
grant select on flagmeter.refusals to analyst;
grant select on flagmeter.relays to analyst;
grant select on flagmeter.relays_by_day to analyst;
grant select on flagmeter.relays_by_hour to analyst;
grant select on flagmeter.relays_by_minute to analyst;
grant select on flagmeter.retention to analyst;
grant select on flagmeter.rollout_by_hour to analyst;
grant select on flagmeter.totals_by_day to analyst;
grant select on flagmeter.totals_by_hour to analyst;
grant select on flagmeter.usage_by_day to analyst;
grant select on flagmeter.usage_by_hour to analyst;
grant select on flagmeter.usage_by_minute to analyst;
grant select on flagmeter.variants_by_day to analyst;
grant select on flagmeter.variants_by_hour to analyst;
grant select on flagmeter.variants_by_minute to analyst;

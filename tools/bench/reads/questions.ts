import { CATALOGUE_QUESTIONS } from './catalogue-questions.ts';
import { IMPACT_QUESTIONS } from './impact-questions.ts';

/**
 * The usual questions of analysts. Each view is in at least one of them. Features and applications change with each
 * run.
 */
export const QUESTIONS: Readonly<Record<string, string>> = {
  'errors of evaluations by type, 7 days': `
    select hour, feature_name, error_type, sum(r.evaluations) as evaluations
    from reasons_by_hour as r
    where reason = 'error'
      and hour >= now('UTC') - interval 7 day
    group by hour, feature_name, error_type
    order by hour, feature_name, error_type`,
  'reasons of a feature by day, 90 days': `
    select day, provider, reason, sum(r.evaluations) as evaluations
    from reasons_by_day as r
    where feature_name = {feature:String}
      and day >= today() - 90
    group by day, provider, reason
    order by day, provider, reason`,
  'a feature by day, 90 days': `
    select day, environment, sum(u.yes) as yes, sum(u.no) as no
    from usage_by_day as u
    where feature_name = {feature:String}
    group by day, environment
    order by day, environment`,
  'a feature by hour, 7 days': `
    select hour, sum(u.yes) as yes, sum(u.no) as no
    from usage_by_hour as u
    where feature_name = {feature:String}
      and environment = 'production'
      and hour >= now('UTC') - interval 7 day
    group by hour
    order by hour`,
  'a feature by minute, 1 day': `
    select minute, sum(u.yes) as yes, sum(u.no) as no
    from usage_by_minute as u
    where feature_name = {feature:String}
      and minute >= now('UTC') - interval 1 day
    group by minute
    order by minute`,
  'all evaluations by minute, 1 hour': `
    select minute, environment, sum(u.yes + u.no) as evaluations
    from usage_by_minute as u
    where minute >= now('UTC') - interval 1 hour
    group by minute, environment
    order by minute, environment`,
  'variants of a feature by minute, 1 hour': `
    select minute, variant, sum(v.count) as served
    from variants_by_minute as v
    where feature_name = {feature:String}
      and minute >= now('UTC') - interval 1 hour
    group by minute, variant
    order by minute, variant`,
  'applications of a feature, 30 days': `
    select app_name, sum(u.yes + u.no) as evaluations
    from usage_by_day as u
    where feature_name = {feature:String}
      and day >= today() - 30
    group by app_name
    order by evaluations desc`,
  'features of an application, 30 days': `
    select feature_name, sum(u.yes + u.no) as evaluations
    from usage_by_day as u
    where app_name = {app:String}
      and day >= today() - 30
    group by feature_name
    order by evaluations desc
    limit 100`,
  'shares of variants by hour, 7 days': `
    select hour, variant, sum(v.count) as served
    from variants_by_hour as v
    where feature_name = {feature:String}
      and environment = 'production'
      and hour >= now('UTC') - interval 7 day
    group by hour, variant
    order by hour, variant`,
  ...IMPACT_QUESTIONS,
  'busiest features, 24 hours': `
    select feature_name, sum(u.yes + u.no) as evaluations
    from totals_by_hour as u
    where hour >= now('UTC') - interval 24 hour
    group by feature_name
    order by evaluations desc
    limit 20`,
  'all evaluations by day, 90 days': `
    select day, environment, sum(u.yes + u.no) as evaluations
    from app_totals_by_day as u
    group by day, environment
    order by day, environment`,
  'traffic of each application by hour, 7 days': `
    select hour, app_name, sum(u.yes + u.no) as evaluations
    from app_totals_by_hour as u
    where hour >= now('UTC') - interval 7 day
      and environment = 'production'
    group by hour, app_name`,
  'evaluations of each feature by day, 7 days': `
    select feature_name, day, sum(yes + no) as evaluations
    from totals_by_day
    where day >= today() - 7
    group by feature_name, day
    order by feature_name, day`,
  'debt of flags by day, 90 days': `
    select day, sum(d.overdue_flags) as overdue_flags, sum(d.constant_evaluations) as constant_evaluations
    from flag_debt_by_day as d
    where day >= today() - 90
    group by day
    order by day`,
  'features nobody evaluated for 7 days': `
    select feature_name, max(last_hour) as last
    from feature_seen
    group by feature_name
    having last < now('UTC') - interval 7 day`,
  'a feature by hour, 90 days': `
    select hour, sum(u.yes) as yes, sum(u.no) as no
    from feature_usage(feature = {feature:String}, environment = 'production') as u
    group by hour
    order by hour`,
  'variants of a feature by application, 7 days': `
    select app_name, variant, sum(v.count) as served
    from feature_variants(feature = {variantFeature:String}, environment = 'production') as v
    where hour >= now('UTC') - interval 7 day
    group by app_name, variant`,
  'shares of variants by day, 90 days': `
    select day, variant, sum(v.count) as served
    from variants_by_day as v
    where feature_name = {variantFeature:String}
      and environment = 'production'
    group by day, variant
    order by day, variant`,
  'features of an application in production, 7 days': `
    select feature_name, sum(u.yes + u.no) as evaluations
    from app_usage(app = {app:String}, environment = 'production') as u
    where day >= today() - 7
    group by feature_name
    order by evaluations desc`,
  ...CATALOGUE_QUESTIONS,
  'configured and served share of a feature by hour, 7 days': `
    select hour, configured_percent, served_percent, verdict
    from rollout_by_hour
    where feature_name = {feature:String}
      and environment = 'production'
      and hour >= now('UTC') - interval 7 day
    order by hour`,
  'variants of an experiment against their weights': `
    select environment, variant, configured_percent, served_percent, p_value, verdict
    from experiment_results
    where feature_name = {variantFeature:String}
    order by environment, variant`,
  'instances by version': `
    select sdk_version, uniqExact(app_name) as apps, count() as instances
    from instances
    group by sdk_version`,
  'when each feature was seen': `
    select feature_name, environment, first_hour, last_hour
    from feature_seen
    order by last_hour, feature_name, environment`,
  'when each application was seen': `
    select app_name, environment, first_hour, last_hour
    from app_seen
    order by last_hour, app_name, environment`,
  'time of SDKs without counts': `
    select app_name, environment, instances, missing_seconds, coverage
    from coverage_by_app
    order by missing_seconds desc`,
  'relays and their versions': `
    select version, count() as relays, max(last_report_at) as latest
    from relays
    group by version`,
  'requests of each relay by minute, 1 hour': `
    select minute, relay_id, requests_per_second
    from relays_by_minute
    where minute >= now('UTC') - interval 1 hour
    order by minute, relay_id`,
  'requests of all relays by hour, 7 days': `
    select hour, sum(r.requests) as requests, sum(r.refused) as refused
    from relays_by_hour as r
    where hour >= now('UTC') - interval 7 day
    group by hour
    order by hour`,
  'requests of all relays by day': `
    select day, sum(r.requests) as requests, max(r.features_p99_ms) as slowest
    from relays_by_day as r
    group by day
    order by day`,
  'refusals by reason and day': `
    select day, reason, sum(r.count) as refused
    from refusals as r
    group by day, reason
    order by day, reason`,
  'is all accounted for': `select * from accounting`,
  'what is kept': `select * from retention`,
  'verdicts on a feature': `
    select environment, verdict, sentence
    from feature_verdicts
    where feature_name = {feature:String}
    order by environment, verdict`,
  'all verdicts on features': `
    select feature_name, environment, verdict, sentence
    from feature_verdicts
    order by evaluations desc, feature_name, environment, verdict
    limit 100`,
  'verdicts on features as of a week ago': `
    select verdict, count() as features
    from feature_verdicts_at(
      at = now('UTC') - interval 7 day,
      constant_days = 30,
      constant_evaluations = 1000,
      silent_days = 7,
      new_days = 7,
      called_evaluations = 100,
      cliff_hours = 6,
      cliff_share = 0.5,
      cliff_evaluations = 1000,
      drift_hours = 12,
      drift_index = 0.2,
      drift_evaluations = 1000,
      dead_days = 7,
      dead_evaluations = 100,
      harmful_chance = 0.01
    )
    group by verdict`,
  'evidence against a guarded feature': `
    select environment, metric, arm, sentence
    from harmful_by_evidence(features = [{feature:String}], tokens = ['1'])`,
  'hottest constant flags': `
    select feature_name, verdict, evaluations
    from hottest_constant_flags
    where environment = 'production'
      and rank <= 20
    order by rank`,
  'verdicts on applications': `
    select app_name, environment, verdict, sentence
    from app_verdicts`,
  'verdicts on applications as of a week ago': `
    select verdict, count() as apps
    from app_verdicts_at(at = now('UTC') - interval 7 day, skew_metrics = 10, silent_intervals = 3)
    group by verdict`,
};

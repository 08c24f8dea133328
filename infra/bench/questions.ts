/** What analysts ask the views first; `{feature}` and `{app}` change with each run. */
export const QUESTIONS: Readonly<Record<string, string>> = {
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
  'busiest features, 24 hours': `
    select feature_name, sum(u.yes + u.no) as evaluations
    from usage_by_hour as u
    where hour >= now('UTC') - interval 24 hour
    group by feature_name
    order by evaluations desc
    limit 20`,
  'all evaluations by day, 90 days': `
    select day, environment, sum(u.yes + u.no) as evaluations
    from usage_by_day as u
    group by day, environment
    order by day, environment`,
  'features nobody evaluated for 7 days': `
    select feature_name, max(day) as last_day
    from usage_by_day
    group by feature_name
    having last_day < today() - 7`,
};

/** Questions to the views of features, projects, events and change requests. */
export const CATALOGUE_QUESTIONS: Readonly<Record<string, string>> = {
  'features by project': `
    select project, count() as features, countIf(archived) as archived_ones
    from features
    group by project`,
  'projects and environments': `
    select p.project, p.archived, e.environment, e.type
    from projects as p
    cross join environments as e
    order by p.project, e.sort_order`,
  'how a feature is configured': `
    select environment, enabled, rollout_percent, variants, changed_at
    from feature_configurations
    where feature_name = {feature:String}
    order by environment`,
  'how a feature was configured before': `
    select environment, enabled, rollout_percent, valid_from, valid_to
    from feature_configuration_history
    where feature_name = {feature:String}
    order by environment, valid_from`,
  'events of a feature': `
    select created_at, type, environment, created_by
    from events
    where feature_name = {feature:String}
    order by event_id desc
    limit 100`,
  'archived features that the code still names': `
    select c.repository as repository, c.feature_name as feature_name, count() as places
    from code_references as c
    join features as f on f.feature_name = c.feature_name
    where f.archived
    group by repository, feature_name
    order by places desc, repository, feature_name
    limit 100`,
  'open change requests': `
    select change_request_id, project, state, features
    from change_requests
    where state in ('In review', 'Approved', 'Scheduled')
    order by change_request_id`,
};

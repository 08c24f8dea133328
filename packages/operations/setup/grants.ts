const WRITE = 'select, insert, update, delete';
const READ = 'select';

/**
 * What the role of the services may do with each relation of Postgres. A new relation gets its line here: `flagmeter migrate` grants
 * nothing that is not listed. Sequences need none, because all belong to identity columns.
 */
export const GRANTS: Readonly<Record<string, string>> = {
  // Migrations and the audit: only their owner changes them. The trigger of audit_entries sets all columns but this one.
  migrations: READ,
  audit: READ,
  audit_entries: 'select, insert (content)',
  audit_settings: READ,
  audit_log_position: 'select, update',

  relay_revisions: READ,
  relay_states: READ,
  user_grants: READ,

  api_tokens: WRITE,
  change_request_approvals: WRITE,
  change_request_comments: WRITE,
  change_request_edits: WRITE,
  change_request_events: WRITE,
  change_request_rejections: WRITE,
  change_request_schedule: WRITE,
  change_request_settings: WRITE,
  change_requests: WRITE,
  clean_ups: WRITE,
  client_applications: WRITE,
  client_applications_usage: WRITE,
  client_instances: WRITE,
  code_references: WRITE,
  code_repositories: WRITE,
  daily_writes: WRITE,
  dead_letter_replays: WRITE,
  environments: WRITE,
  event_counts: WRITE,
  events: WRITE,
  favorite_features: WRITE,
  feature_environments: WRITE,
  feature_last_seen: WRITE,
  features: WRITE,
  feedback: WRITE,
  history_imports: WRITE,
  history_messages: WRITE,
  notification_causes: WRITE,
  notification_deliveries: WRITE,
  notification_subscriptions: WRITE,
  past_configurations: WRITE,
  personal_access_tokens: WRITE,
  project_roles: WRITE,
  projects: WRITE,
  rejected_bodies: WRITE,
  rejected_body_writers: WRITE,
  relays: WRITE,
  roles: WRITE,
  sessions: WRITE,
  strategies: WRITE,
  unleash_outdated_features: WRITE,
  unleash_sync: WRITE,
  users: WRITE,
  verdicts: WRITE,
};

/** A tool is one operation of the admin API. Its arguments and their checks are those of the operation. */
export type ToolDeclaration = {
  readonly name: string;
  readonly title: string;
  /** The operationId in the OpenAPI document. */
  readonly operation: string;
  /** For the model, after the summary of the operation: when to use the tool, and what the answer means. */
  readonly hint: string;
  /** The optional arguments that the tool offers; by default all. Each one costs the model tokens. */
  readonly offers?: readonly string[];
  /** Members of the body that are always sent, and not offered. */
  readonly fixed?: Readonly<Record<string, string>>;
};

/** Tools that read. */
export const READING_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'find_features',
    title: 'Find features',
    operation: 'searchFeatures',
    hint: 'A feature is a feature flag. lastSeenAt is its last hour with evaluations.',
  },
  {
    name: 'get_feature',
    title: 'One feature',
    operation: 'getFeature',
    hint: 'find_features shows the project of a feature.',
  },
  {
    name: 'list_verdicts',
    title: 'Verdicts with evidence',
    operation: 'listVerdicts',
    hint: 'A verdict is a finding about a feature or an application, such as always_on or unknown. Its sentence is the evidence.',
    offers: ['feature', 'environment', 'verdict', 'limit'],
  },
  {
    name: 'list_verdict_history',
    title: 'When verdicts appeared and ended',
    operation: 'listRecordedVerdicts',
    hint: 'The id is the one to acknowledge.',
  },
  {
    name: 'get_usage',
    title: 'Usage over a window',
    operation: 'getUsageSeries',
    hint: 'With groupBy=application it shows who evaluates a feature, and how often. null means unknown, 0 means none.',
  },
  {
    name: 'who_evaluates',
    title: 'Who evaluates a feature',
    operation: 'getFeatureUsage',
    hint: 'Call it before you remove a feature from code.',
  },
  {
    name: 'find_applications',
    title: 'Find applications',
    operation: 'searchApplications',
    hint: 'It shows their instances and SDK versions.',
  },
  {
    name: 'find_unknown_flags',
    title: 'Flags that nobody created',
    operation: 'searchUnknownFlags',
    hint: 'Often a misspelt name, or a feature that was deleted too early.',
  },
  {
    name: 'find_code_references',
    title: 'Where code names a feature',
    operation: 'getCodeReferencesOfFeature',
    hint: 'It knows only scanned repositories. No places do not prove that no code names the feature.',
  },
  {
    name: 'compare_arms',
    title: 'Impact of each arm',
    operation: 'getFeatureImpact',
    hint: 'A ratio whose interval contains 1 shows no difference.',
  },
  {
    name: 'list_impact_metrics',
    title: 'Impact metrics',
    operation: 'listImpactMetrics',
    hint: 'Their names are those in compare_arms.',
  },
  {
    name: 'list_feature_events',
    title: 'What happened to a feature',
    operation: 'listFeatureEvents',
    hint: 'Who changed it, and when.',
  },
  {
    name: 'find_events',
    title: 'Find events',
    operation: 'searchEvents',
    hint: 'It shows the projects in which the token has READ_EVENTS.',
  },
  {
    name: 'find_change_requests',
    title: 'Find change requests',
    operation: 'searchChangeRequests',
    hint: 'Look here before you open one.',
  },
  {
    name: 'get_accounting',
    title: 'The accounting',
    operation: 'getAccounting',
    hint: 'received = counted + refused + duplicate + dead. If isBalanced is false, the other numbers may be wrong.',
  },
];

/** Tools that write. Approving and applying are left to people. */
export const WRITING_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'acknowledge_verdict',
    title: 'Acknowledge a verdict',
    operation: 'acknowledgeVerdict',
    hint: 'list_verdict_history shows the id.',
  },
  {
    name: 'open_change_request',
    title: 'Open a change request',
    operation: 'addChanges',
    hint: 'To archive a feature, use the action archiveFeature without a payload. Nothing changes until people approve and apply it.',
  },
  {
    name: 'submit_change_request',
    title: 'Submit a change request for review',
    operation: 'changeChangeRequestState',
    hint: 'It only submits.',
    offers: ['comment'],
    fixed: { state: 'In review' },
  },
];

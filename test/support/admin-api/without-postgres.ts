/** Operations that read only ClickHouse, or Kafka too. */
export const WITHOUT_POSTGRES = [
  'getAccounting',
  'getCoverage',
  'getFeatureImpact',
  'getFeatureUsage',
  'getFeatureUsageByHour',
  'getFlagDebt',
  'getImpactSeries',
  'getThroughput',
  'getUsageSeries',
  'listImpactMetrics',
  'listRefusals',
  'listVerdicts',
  'searchEvaluatedFeatures',
  'searchUnknownFlags',
];

/** Prepares the engines for the services. If an engine cannot be used, one sentence explains why. */
export { reachEngines } from './reach.ts';
export { setUp } from './set-up.ts';
export { migrationNames, setUpTables } from './tables.ts';
export { judgeTopics, topicPlans } from './topics.ts';

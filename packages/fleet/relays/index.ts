/**
 * The reports of relays about themselves, pure: `readRelayReport` turns the body that an Unleash Edge sends each minute into a
 * flat list of relays, and the messages carry it through Kafka.
 */
export { MAX_NESTED_RELAYS, readRelayReport } from './read-report.ts';
export * from './report-message.ts';
export { relayReportSchema } from './report-schema.ts';

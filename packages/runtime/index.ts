/** What every process needs: configuration, log, metrics, life and death. */
export * from './background.ts';
export * from './backoff.ts';
export { type Config, readConfig } from './config.ts';
export { configSchema } from './config-schema.ts';
export * from './deadline.ts';
export * from './engine-trouble.ts';
export * from './errors.ts';
export * from './job.ts';
export * from './lifecycle.ts';
export * from './log.ts';
export * from './marking.ts';
export * from './merged-metrics.ts';
export * from './metrics.ts';
export * from './share-reads.ts';
export { projectRoot } from './project-root.ts';
export { readVersion } from './version.ts';
export type { PostgresAccess } from './postgres-url.ts';
export type { Tls } from './tls.ts';

/** Our use of Postgres; the only importer of pg beside the local stack, which creates its server. */
export * from './locks/advisory-lock.ts';
export * from './dump.ts';
export * from './errors.ts';
export * from './grants.ts';
export * from './locks/migration-lock.ts';
export * from './migrations.ts';
export * from './locks/operator-lock.ts';
export * from './locks/verdict-lock.ts';
export * from './pages.ts';
export * from './pool/pool.ts';
export * from './pool/pooling.ts';
export * from './select-members.ts';
export * from './times.ts';
export * from './transaction.ts';
export * from './watch.ts';

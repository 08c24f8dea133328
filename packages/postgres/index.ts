/** Postgres as we use it; the only importer of pg. */
export * from './migrations.ts';
export * from './operator-lock.ts';
export * from './pages.ts';
export * from './pool.ts';

import type { Postgres } from '#base/postgres';
import type { CatalogueReader } from '#unleash/client';

/** The dependencies of each step of a round. */
export type SyncParts = {
  readonly reader: CatalogueReader;
  readonly db: Postgres;
  readonly signal: AbortSignal;
};

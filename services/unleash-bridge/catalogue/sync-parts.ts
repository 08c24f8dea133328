import type { Postgres } from '#postgres';
import type { CatalogueReader } from '#unleash';

/** The dependencies of each step of a round. */
export type SyncParts = {
  readonly reader: CatalogueReader;
  readonly db: Postgres;
  readonly signal: AbortSignal;
};

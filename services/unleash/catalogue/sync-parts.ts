import type { Postgres } from '#postgres';
import type { CatalogueReader } from '#unleash';

/** What each step of a round works with. */
export type SyncParts = {
  readonly reader: CatalogueReader;
  readonly db: Postgres;
  readonly signal: AbortSignal;
};

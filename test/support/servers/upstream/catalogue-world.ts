import { createCatalogueReader, createUnleash } from '#unleash/client';
import { type RoundOutcome, syncOnce } from '../../../../services/unleash-bridge/catalogue/sync.ts';
import { UNCOUNTED } from '../../stack/engines/world-databases.ts';
import { type World, createWorld } from '../../world.ts';
import { ADMIN_SECRET, type UpstreamCatalogue, createUpstreamCatalogue } from './unleash-catalogue.ts';
import { type Upstream, startUpstream } from './upstream.ts';

/** A flagmeter that copies the catalogue of a server that replaces Unleash. */
export type CatalogueWorld = {
  readonly world: World;
  readonly upstream: Upstream;
  readonly catalogue: UpstreamCatalogue;
  sync(): Promise<RoundOutcome>;
  /** Rows of a table, ordered by the first of the columns. */
  rowsOf(table: string, columns: string): Promise<Record<string, unknown>[]>;
  /** The strategy of a feature in production. */
  rolloutOf(feature: string): Promise<unknown>;
  dispose(): Promise<void>;
};

export async function createCatalogueWorld(): Promise<CatalogueWorld> {
  // The sync uses only Postgres, whose tables are copied.
  const world = await createWorld({ CLICKHOUSE_DATABASE: UNCOUNTED }, { prepare: () => Promise.resolve() });
  const catalogue = createUpstreamCatalogue();
  const upstream = await startUpstream(catalogue.respond);
  const signal = new AbortController().signal;
  const reader = createCatalogueReader(createUnleash({ url: upstream.url }), ADMIN_SECRET, signal);
  const rowsOf = async (table: string, columns: string): Promise<Record<string, unknown>[]> => {
    const { rows } = await world.db.query<Record<string, unknown>>(
      `select ${columns} from ${table} order by 1`,
    );
    return rows;
  };
  return {
    world,
    upstream,
    catalogue,
    sync: () => syncOnce({ reader, db: world.db, signal }),
    rowsOf,
    async rolloutOf(feature) {
      const column = `strategies->0->'parameters'->>'rollout' as rollout`;
      const table = `feature_environments where feature_name = '${feature}' and environment = 'production'`;
      return (await rowsOf(table, column))[0]?.['rollout'];
    },
    async dispose() {
      await upstream.close();
      await world.dispose();
    },
  };
}

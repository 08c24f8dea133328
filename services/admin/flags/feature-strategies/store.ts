import { inTransaction } from '#base/postgres';
import { type FeatureWrite, changeFeature } from '../features/change/change.ts';
import type { AdminPools } from '../../pools.ts';
import type { FeatureStrategy } from './schema.ts';
import { type StrategyChange, changeStrategies } from './store/change.ts';
import type { StrategyPlace } from './store/rows.ts';
import { findStrategies } from './store/rows.ts';

export type FeatureStrategies = ReturnType<typeof createFeatureStrategies>;

/** The strategies of features in their environments. Their version is the version of the feature. */
export function createFeatureStrategies({ db }: Pick<AdminPools, 'db'>) {
  return {
    async list(
      place: Omit<StrategyPlace, 'caller'>,
    ): Promise<{ version: number; strategies: FeatureStrategy[] }> {
      const { version, strategies } = await findStrategies(db, place);
      return { version, strategies: strategies.map((strategy, sortOrder) => ({ ...strategy, sortOrder })) };
    },

    change: (write: FeatureWrite & { readonly environment: string }, change: StrategyChange) =>
      inTransaction(db, (client) =>
        changeFeature(client, write, () => changeStrategies(client, write, change)),
      ),
  };
}

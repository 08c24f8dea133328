import type { Operation } from '../../http/operation.ts';
import type { AdminPools } from '../../pools.ts';
import { archiveOperations } from './archive.ts';
import { createFeature } from './create.ts';
import { enableOperations } from './enable.ts';
import { favoriteOperations } from './favorites.ts';
import { moveFeature } from './move.ts';
import type { PassOn } from './change/pass-on.ts';
import { getFeature, getFeatureByName, listFeatures } from './read.ts';
import { updateFeature } from './update.ts';

export function featureOperations(pools: AdminPools, passOn: PassOn): Operation[] {
  const { db } = pools;
  return [
    listFeatures(pools),
    createFeature(db),
    getFeature(pools),
    getFeatureByName(pools),
    updateFeature(db),
    moveFeature(db),
    ...favoriteOperations(db),
    ...archiveOperations(db, passOn),
    ...enableOperations(db, passOn),
  ];
}

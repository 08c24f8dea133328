import { readConfig } from '#base/runtime';
import { ENGINE_ADDRESSES } from './engine-addresses.ts';

/** Those of the default settings. */
export const DEFAULT_NAME_LIMITS = readConfig(ENGINE_ADDRESSES).ingest.namesPerHour;

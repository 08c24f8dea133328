import { readFile } from 'node:fs/promises';
import {
  type StackAddresses,
  type UpOptions,
  filesOf,
  filesOfStack,
  findRecorded,
  freePort,
  localSettings,
  parseVariables,
  upStack,
  writeVariables,
} from '#tooling/stack';
import { startRedis } from './engines/redis.ts';

export type AddressesWithRedis = StackAddresses & { readonly REDIS_URL: string };

/**
 * As `upStack`, with a Redis beside the engines, which ingest and admin need as separate processes: for tests and benchmarks. Whatever stops
 * the stack stops it too.
 */
export async function upWithRedis(options: UpOptions): Promise<AddressesWithRedis> {
  const { directory, settings } = options;
  const addresses = await upStack(options);
  const { environment } = filesOfStack(directory);
  const { REDIS_URL: known } = parseVariables(await readFile(environment, 'utf8'));
  const isRunning = (await findRecorded(filesOf(directory, 'redis').pid))?.isReady === true;
  if (known !== undefined && isRunning) return { ...addresses, REDIS_URL: known };
  const { address } = await startRedis({ directory, port: await freePort() });
  const all = { ...addresses, REDIS_URL: address };
  await writeVariables(environment, { ...all, ...localSettings(process.env), ...settings });
  return all;
}

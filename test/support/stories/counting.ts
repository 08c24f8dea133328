import { createTokens } from '#base/auth';
import type { Service } from '#base/runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import { startWorker } from '../../../services/worker/index.ts';
import { shared } from '../shared-world.ts';
import type { World } from '../world.ts';

/** Runs ingest and a worker in this process. Returns ingest. */
export async function startCounting(world: World): Promise<Service> {
  const [ingest] = await Promise.all([world.run(startIngest), runWorker(world)]);
  return ingest;
}

/** The ingest of all tests of a `describe`. */
export const sharedIngest = shared((world: World) => world.run(startIngest));

/** The same, beside a worker. */
export const sharedCounting = shared(startCounting);

/** Runs a worker in this process. */
export function runWorker(world: World): Promise<Service> {
  return world.run((config, log) =>
    startWorker(config, log, (error) => {
      throw error;
    }),
  );
}

export type Usage = { readonly yes: number; readonly no: number; readonly reports: number };

/** The stored counts of a feature in all hours, environments and applications. */
export async function usageOf(world: World, featureName: string): Promise<Usage> {
  const [usage] = await world.query<Usage>(
    `select toUInt32(sum(u.yes)) as yes, toUInt32(sum(u.no)) as no, toUInt32(sum(u.reports)) as reports
     from usage_by_hour as u
     where feature_name = {featureName:String}`,
    { featureName },
  );
  return usage ?? { yes: 0, no: 0, reports: 0 };
}

/** The id of the initial token of a type and environment. */
export async function tokenIdOf(world: World, type: string, environment: string): Promise<string> {
  const tokens = await createTokens(world.db).list();
  const token = tokens.find((item) => item.type === type && item.environment === environment);
  return token?.id ?? `no ${type} token of ${environment}`;
}

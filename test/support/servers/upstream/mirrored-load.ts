import { randomBytes } from 'node:crypto';
import { aFreshMetric, bodyOf, post } from '../../requests/post.ts';
import { CLIENT_TOKEN, OTHER_CLIENT_TOKEN } from '../../world.ts';

const PRODUCTION = { environment: 'production', token: CLIENT_TOKEN };
const DEVELOPMENT = { environment: 'development', token: OTHER_CLIENT_TOKEN };

export const MIRRORED_FEATURES = ['feature-0', 'feature-1', 'feature-2', 'feature-3', 'feature-4'] as const;

/**
 * Sends batches of two environments to ingest, every second one twice, as after a lost answer. Returns the
 * evaluations to be counted.
 */
export async function sendBatches(ingest: { readonly url: string }, batches: number): Promise<number> {
  let yes = 0;
  for (let index = 0; index < batches; index += 1) {
    const { environment, token } = index % 3 === 0 ? DEVELOPMENT : PRODUCTION;
    const metrics = MIRRORED_FEATURES.map((featureName) =>
      aFreshMetric({ featureName, environment, yes: index + 1, no: 1, variants: { blue: index } }),
    );
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
    const labels = { [MIRRORED_FEATURES[0]]: 'blue', appName: 'checkout', environment };
    const purchases = { name: 'purchases', help: 'Completed purchases', type: 'counter' };
    const body = bodyOf({
      metrics,
      impactMetrics: [{ ...purchases, samples: [{ value: index + 0.5, labels }] }],
    });
    for (let attempt = 0; attempt <= index % 2; attempt += 1) {
      const { status } = await post(ingest, { body, headers, authorization: token });
      if (status !== 202) throw new Error(`ingest answered ${status}`);
    }
    yes += metrics.length * (index + 1);
  }
  return yes;
}

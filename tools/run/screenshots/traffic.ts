import { createRandom } from '#tooling/traffic';
import { createHttpTransport, createRelay, realClock } from '../../relay/index.ts';
import { deadlineSignal } from '#base/runtime';
import { listOf } from '#tooling/stack';
import { sendEvaluations } from './other-system.ts';
import { sendRejectedBodies } from './rejected-bodies.ts';

export type TrafficOptions = {
  /** Base URL of flagmeter. */
  readonly url: string;
  /** INIT_CLIENT_API_TOKENS of flagmeter. */
  readonly clientTokens: string;
  readonly durationMs: number;
  readonly interrupted: AbortSignal;
};

const ENVIRONMENT = 'production';
const APPS = ['sample-web', 'sample-api', 'sample-ios'];
const FEATURES = ['checkout-one-page', 'search-synonyms', 'checkout-guest-mode'];
const PUSH_EVERY_MS = 1000;
const EVALUATE_EVERY_MS = 50;
const WEEK_MS = 7 * 86_400_000;

/**
 * A relay in front of the shop, so that the pictures show counts that were received. Some of its metrics are too old, and some bodies
 * of others are not accepted.
 */
export async function sendTraffic(options: TrafficOptions): Promise<void> {
  const { url, clientTokens, durationMs, interrupted } = options;
  const token = listOf(clientTokens).find((secret) => secret.startsWith(`*:${ENVIRONMENT}.`)) ?? '';
  await sendEvaluations(url, token);
  await sendRejectedBodies(url, token);
  const random = createRandom(1);
  const transport = createHttpTransport();
  const relay = createRelay({ url, tokens: { [ENVIRONMENT]: token }, random, transport });
  const { signal, end } = deadlineSignal(durationMs, interrupted);
  const pick = (choices: readonly string[]): string =>
    choices[Math.floor(random() * choices.length)] ?? ENVIRONMENT;
  const evaluate = async (): Promise<void> => {
    for (let round = 0; !signal.aborted; round += 1) {
      relay.record({
        featureName: pick(FEATURES),
        appName: pick(APPS),
        environment: ENVIRONMENT,
        at: round % 20 === 0 ? Date.now() - 10 * WEEK_MS : Date.now(),
        yes: Math.floor(random() * 400),
        no: Math.floor(random() * 100),
        variants: {},
      });
      await realClock.sleep(EVALUATE_EVERY_MS, signal);
    }
  };
  await Promise.all([evaluate(), relay.run(PUSH_EVERY_MS, signal)]);
  relay.close();
  end();
}

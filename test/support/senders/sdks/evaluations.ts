import type { NodeSdk } from './node-sdk.ts';

export type Evaluations = {
  /** How often the feature was asked for, and how often it was off. */
  stop(): { readonly asked: number; readonly wrong: number };
};

const PAUSE_MS = 10;

/** Asks an SDK all the time for a feature that is on. */
export function watchEvaluations(sdk: NodeSdk, feature: string): Evaluations {
  let asked = 0;
  let wrong = 0;
  const timer = setInterval(() => {
    asked += 1;
    if (!sdk.isEnabled(feature)) wrong += 1;
  }, PAUSE_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      return { asked, wrong };
    },
  };
}

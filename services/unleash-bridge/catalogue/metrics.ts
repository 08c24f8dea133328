import { Counter, Gauge, type Registry } from '#base/runtime';

const OUTCOMES = ['changed', 'unchanged', 'unfinished', 'failed', 'elsewhere'] as const;

export type CatalogueMetrics = ReturnType<typeof createCatalogueMetrics>;

export function createCatalogueMetrics(registry: Registry) {
  const registers = [registry];
  // Until the first success, the lag is the age of this process.
  let currentAt = Date.now();
  const rounds = new Counter({
    name: 'flagmeter_unleash_catalogue_rounds_total',
    help: 'Looks at the catalogue of Unleash, by outcome; elsewhere: another process was looking',
    labelNames: ['outcome'],
    registers,
  });
  // Set to 0 at the start, because rate() does not see a series that begins with its first failure.
  for (const outcome of OUTCOMES) rounds.inc({ outcome }, 0);
  const lastSuccess = new Gauge({
    name: 'flagmeter_unleash_catalogue_last_success_timestamp_seconds',
    help: 'When the catalogue was last known to be the same as that of Unleash; 0 before that',
    registers,
  });
  new Gauge({
    name: 'flagmeter_unleash_catalogue_lag_seconds',
    help: 'Changes in Unleash that are older than this are known here',
    registers,
    collect() {
      this.set((Date.now() - currentAt) / 1000);
    },
  });
  return {
    rounds,
    outdated: new Gauge({
      name: 'flagmeter_unleash_catalogue_outdated_features',
      help: 'Features that changed in Unleash and are still to be read',
      registers,
    }),
    setSuccess(at: Date): void {
      currentAt = at.getTime();
      lastSuccess.set(currentAt / 1000);
    },
  };
}

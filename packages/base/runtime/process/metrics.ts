import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from '@prometheus-io/client';
import { readVersion } from '#base/version';

export { Counter, Gauge, Histogram, Registry };

/** A registry with the version of flagmeter and the metrics of the process itself (CPU, memory, event loop). */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'flagmeter_build_info',
    help: 'Always 1; its labels say which version runs on which version of Node.js',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: readVersion(), node: process.version }, 1);
  return registry;
}

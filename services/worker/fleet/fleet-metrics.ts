import { type Fleet, RELAY_STATES } from '#fleet/catalogue';
import { Gauge, type Registry } from '#base/runtime';

/** Creates the metrics about relays, and returns the function that sets them. Each worker shows the same numbers. */
export function createFleetMetrics(registry: Registry): (fleet: Fleet) => void {
  const registers = [registry];
  const relays = new Gauge({
    name: 'flagmeter_relays',
    help: 'Relays that reported in the last day, by state: reporting, silent, or stopped in order or replaced',
    labelNames: ['state'],
    registers,
  });
  const lag = new Gauge({
    name: 'flagmeter_relay_revision_lag',
    help: 'Revisions by which the reporting relay that is most behind lacks the newest one of any relay, by environment',
    labelNames: ['environment'],
    registers,
  });
  return ({ states, lags }) => {
    for (const state of RELAY_STATES) relays.set({ state }, states.get(state) ?? 0);
    lag.reset();
    for (const [environment, revisions] of lags) lag.set({ environment }, revisions);
  };
}

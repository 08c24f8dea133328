import type { EndingToken } from '#base/auth';
import { Gauge, type Registry } from '#base/runtime';

/** Shows the next end of a token of each type. It is in the process that sends notifications only. */
export function createEndingGauge(registry: Registry) {
  const gauge = new Gauge({
    name: 'flagmeter_tokens_next_end_timestamp_seconds',
    help: 'Unix time at which the next token of this type ends, if that is within 14 days',
    labelNames: ['type'],
    registers: [registry],
  });
  return {
    /** `tokens` are in the order of their ends. */
    show(tokens: readonly EndingToken[]): void {
      gauge.reset();
      for (const { type, expiresAt } of [...tokens].reverse())
        gauge.set({ type }, Math.floor(expiresAt.getTime() / 1000));
    },
  };
}

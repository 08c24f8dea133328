import type { Defect } from './defect.ts';

const STORE = 'for (let to = this.#nextEnd(); to !== undefined; to = this.#nextEnd()) await this.#store';
const MIRROR = 'for (let to = this.#nextEnd(); to !== undefined; to = this.#nextEnd()) await this.#mirror';

/** Bounds of what waits and gathers. Everything drains in the end, and nothing is counted wrongly. */
export const DEFECTS_OF_BOUNDS: readonly Defect[] = [
  {
    name: 'heartbeats go on after the work that they accompany',
    file: 'packages/core/kafka/consuming/heartbeats.ts',
    from: 'clearInterval(timer);',
    to: 'void timer;',
  },
  {
    name: 'a worker gathers messages until it has reached the end of the log',
    file: 'services/worker/counts/counts-partition.ts',
    from: STORE,
    to: `if (batch.lag === 0) ${STORE}`,
  },
  {
    name: 'a mirror gathers messages until it has reached the end of the log',
    file: 'services/unleash-bridge/mirror/mirrored-partition.ts',
    from: MIRROR,
    to: `if (arguments[0].lag === 0) ${MIRROR}`,
  },
];

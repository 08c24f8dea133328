import type { Relay } from '../../../tools/relay/index.ts';
import { ENVIRONMENT } from '../names.ts';
import { type SampleKind, measure } from '../samples.ts';
import type { Actor } from '../time/schedule.ts';
import type { Surroundings } from './surroundings.ts';

type Measuring = {
  readonly name: string;
  readonly actor: Actor;
  readonly relay: Relay;
  readonly signal: AbortSignal;
};

/** A relay adds samples until the signal. They have randomness of their own, so that a world without samples stays as it is. */
export function startMeasuring(world: Surroundings, { name, actor, relay, signal }: Measuring): void {
  const { schedule, measured, sampleRandom: random, measureEveryMs } = world;
  const numbers = new Map<SampleKind, number>();
  const next = (): void => {
    schedule.after(actor, random() * 2 * measureEveryMs, { label: 'measure', action: add });
  };
  const add = (): void => {
    if (signal.aborted) return;
    const kind = kindFrom(random());
    const number = numbers.get(kind) ?? 0;
    numbers.set(kind, number + 1);
    const { metric, ...sample } = measure(name, kind, number);
    relay.addImpact(ENVIRONMENT, metric);
    measured.set(sample.id, sample);
    next();
  };
  if (measureEveryMs < Infinity) next();
}

function kindFrom(share: number): SampleKind {
  if (share < 0.5) return 'counter';
  if (share < 0.8) return 'histogram';
  return share < 0.9 ? 'gauge' : 'refused';
}

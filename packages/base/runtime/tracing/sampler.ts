import type { TracingConfig } from '../config/groups/tracing-config.ts';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceFlags,
  TraceIdRatioBasedSampler,
} from './library.ts';

/**
 * The sampler that the settings name. It also samples what is linked with a sampled trace: a block is stored for many requests,
 * and a separate decision would leave most traced requests without their block.
 */
export function createSampler({ sampler, sampledRatio }: TracingConfig): Sampler {
  const root = rootSampler(sampler.replace('parentbased_', ''), sampledRatio);
  const chosen = sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
  return {
    shouldSample(...about) {
      const [, , , , , links] = about;
      const isLinked = links.some(({ context }) => (context.traceFlags & TraceFlags.SAMPLED) !== 0);
      return isLinked ? { decision: SamplingDecision.RECORD_AND_SAMPLED } : chosen.shouldSample(...about);
    },
    toString: () => `Linked(${chosen.toString()})`,
  };
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return name === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler();
}

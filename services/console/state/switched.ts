import type { Feature } from '../types.ts';

/** Whether it is turned on and off here, or in Unleash. Of others only the flag system knows where they are on. */
export function isSwitched({ source }: Pick<Feature, 'source'>): boolean {
  return source !== 'opentelemetry';
}

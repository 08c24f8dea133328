import { ACCOUNT } from './account.ts';
import { UNKNOWN_FLAG } from './applications.ts';
import { CHECKOUT } from './checkout.ts';
import type { SampleFeature } from './feature.ts';
import { MARKETING } from './marketing.ts';
import { SEARCH } from './search.ts';

export const SAMPLE_PROJECTS = [
  { id: 'sample-checkout', name: 'Checkout (sample)', team: 'checkout', features: CHECKOUT },
  { id: 'sample-search', name: 'Search (sample)', team: 'search', features: SEARCH },
  { id: 'sample-account', name: 'Account (sample)', team: 'account', features: ACCOUNT },
  { id: 'sample-marketing', name: 'Marketing (sample)', team: 'marketing', features: MARKETING },
] as const;

/** The description of its projects, by which the sample is recognised. */
export const SAMPLE_MARK = 'Part of the sample shop.';

export const SAMPLE_FEATURES: readonly SampleFeature[] = SAMPLE_PROJECTS.flatMap(({ features }) => features);

/** Names of all features that applications of the sample evaluate, also of the unknown one. */
export function featureNames(): string[] {
  return [...SAMPLE_FEATURES.map(({ name }) => name), UNKNOWN_FLAG.name];
}

import type { SampleApp } from './applications.ts';

/** How often something happens for one evaluation. */
type Rate = number;

/** Shares of the observations up to each bound (in seconds), and their mean. */
export type Times = { readonly upTo: Readonly<Record<string, number>>; readonly mean: number };

/** What an application of the shop measures in production, for each arm of a feature. */
export type SampleMetric = { readonly name: string; readonly help: string; readonly app: SampleApp } & (
  | { readonly type: 'counter'; readonly features: Arms<Rate> }
  | { readonly type: 'histogram'; readonly features: Arms<Times> }
);
type Arms<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

const USUAL: Times = { upTo: { 0.05: 0.42, 0.1: 0.71, 0.25: 0.93, 0.5: 0.982, 1: 0.997 }, mean: 0.095 };
const FASTER: Times = { upTo: { 0.05: 0.5, 0.1: 0.78, 0.25: 0.955, 0.5: 0.988, 1: 0.998 }, mean: 0.08 };
const SLOWER: Times = { upTo: { 0.05: 0.33, 0.1: 0.6, 0.25: 0.86, 0.5: 0.955, 1: 0.99 }, mean: 0.14 };

/** The checkout on one page sells more. The summary of reviews fails and is slow, and its rollout goes on. */
export const SAMPLE_METRICS: readonly SampleMetric[] = [
  {
    name: 'purchases',
    help: 'Completed purchases',
    app: 'sample-web',
    type: 'counter',
    features: {
      'checkout-one-page': { enabled: 0.036, disabled: 0.0315 },
      'checkout-button-colour': { blue: 0.033, green: 0.0336, orange: 0.0328 },
    },
  },
  {
    name: 'request_errors',
    help: 'Requests that failed',
    app: 'sample-web',
    type: 'counter',
    features: {
      'checkout-one-page': { enabled: 0.004, disabled: 0.004 },
      'product-review-summary': { enabled: 0.0061, disabled: 0.004 },
    },
  },
  {
    name: 'page_seconds',
    help: 'Response times of pages',
    app: 'sample-web',
    type: 'histogram',
    features: {
      'checkout-one-page': { enabled: FASTER, disabled: USUAL },
      'product-review-summary': { enabled: SLOWER, disabled: USUAL },
    },
  },
  {
    name: 'search_seconds',
    help: 'Response times of searches',
    app: 'sample-search',
    type: 'histogram',
    features: { 'search-ranking-v3': { current: USUAL, margin: USUAL, relevance: SLOWER } },
  },
];

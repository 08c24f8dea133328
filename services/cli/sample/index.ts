/**
 * A made-up shop, so that an empty flagmeter has something to show: features, rollouts, applications and 35 days of evaluations.
 * The plan is pure and depends only on the moment at which the sample was made. The store writes and removes it.
 */
export { blocksOf } from './plan/usage/blocks.ts';
export { documentOf } from './plan/document.ts';
export { sampleDays } from './plan/usage/traffic.ts';
export { type OtherData, readOtherData } from './store/other-data.ts';
export { fillSample } from './store/fill.ts';
export { removeSample } from './store/remove.ts';
export { type SampleStores, type StoredSample, readSample } from './store/stored-sample.ts';

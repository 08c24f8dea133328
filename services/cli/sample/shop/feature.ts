import type { SampleApp } from './applications.ts';

/** Percentages of a rollout in production, oldest first. It begins so many days before today. */
export type Rollout = readonly (readonly [daysAgo: number, percent: number])[];

export type SampleFeature = {
  readonly name: string;
  readonly type: 'release' | 'experiment' | 'operational' | 'kill-switch' | 'permission';
  readonly description: string;
  readonly apps: readonly SampleApp[];
  /** Evaluations in production in the busiest hour of the week, by all applications together. */
  readonly peak: number;
  readonly rollout: Rollout;
  /** Counters that must not rise where it is on. */
  readonly guards?: readonly string[];
  /** Variants and their weights in thousandths. */
  readonly variants?: Readonly<Record<string, number>>;
  /** It was off in production for two hours of that day. */
  readonly outageDaysAgo?: number;
  /** It is off in production since that day, and applications still evaluate it. */
  readonly offSinceDaysAgo?: number;
  readonly staleSinceDaysAgo?: number;
  readonly archivedDaysAgo?: number;
  /** No application evaluates it any more since that day. */
  readonly silentSinceDaysAgo?: number;
  /** So many hours ago its evaluations in production fell to a twelfth. */
  readonly cliffHoursAgo?: number;
};

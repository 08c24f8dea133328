import { InvalidArgumentError } from 'commander';

/**
 * What the gate reports of a name: that no feature has it, that its feature is archived, or a verdict on the feature. Of a file: that
 * it may have calls which were not examined.
 */
export const REASONS = [
  'unknown',
  'archived',
  'unexamined',
  'always-on',
  'always-off',
  'silent',
  'harmful',
] as const;

export type Reason = (typeof REASONS)[number];

export const DEFAULT_REASONS: readonly Reason[] = ['unknown', 'archived', 'unexamined'];

export function parseReasons(list: string): readonly Reason[] {
  return list.split(',').map((word) => {
    const reason = REASONS.find((one) => one === word.trim());
    if (reason === undefined) throw new InvalidArgumentError(`Each is one of ${REASONS.join(', ')}.`);
    return reason;
  });
}

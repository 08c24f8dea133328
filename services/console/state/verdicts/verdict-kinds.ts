/** How the console shows a verdict. `canGo`: the flag can be removed from the code. */
export type VerdictKind = {
  readonly title: string;
  readonly tone: 'wrong' | 'attention' | 'plain';
  /** What to do about it; undefined if there is nothing to do. */
  readonly action?: string;
  readonly canGo?: boolean;
};

/** The kinds of verdicts, those that are most worth doing first. */
const KINDS: Readonly<Record<string, VerdictKind>> = {
  harmful: { title: 'harmful', tone: 'wrong', action: 'Turn off or fix' },
  cliff: { title: 'cliff', tone: 'wrong', action: 'Look at' },
  called_while_archived: { title: 'called while archived', tone: 'wrong', action: 'Remove the code of' },
  unknown: { title: 'unknown', tone: 'attention', action: 'Fix the name' },
  always_on: { title: 'always on', tone: 'attention', action: 'Make permanent', canGo: true },
  always_off: { title: 'always off', tone: 'attention', action: 'Remove', canGo: true },
  silent: { title: 'silent', tone: 'attention', action: 'Archive', canGo: true },
  dead_variant: { title: 'dead variant', tone: 'attention', action: 'Remove a variant of' },
  drift: { title: 'drift', tone: 'attention', action: 'Look at' },
  called_while_off: { title: 'called while off', tone: 'plain' },
  clock_skew: { title: 'clock skew', tone: 'wrong', action: 'Set the clock of' },
  silent_instance: { title: 'silent instance', tone: 'attention', action: 'Look at' },
  mixed_sdk_versions: { title: 'mixed SDK versions', tone: 'plain' },
  sum_check: { title: 'sum check', tone: 'attention' },
  archive_evidence: { title: 'archive evidence', tone: 'plain' },
  new: { title: 'new', tone: 'plain' },
};

const ORDER = Object.keys(KINDS);

/** A newer server may have verdicts that this page does not know. */
export function kindOf(verdict: string): VerdictKind {
  return KINDS[verdict] ?? { title: verdict.replaceAll('_', ' '), tone: 'plain' };
}

/** The verdicts that ask somebody to act, those most worth doing first. */
export function worthDoing<T extends { readonly verdict: string }>(verdicts: readonly T[]): T[] {
  return verdicts
    .filter(({ verdict }) => kindOf(verdict).action !== undefined)
    .sort((one, other) => ORDER.indexOf(one.verdict) - ORDER.indexOf(other.verdict));
}

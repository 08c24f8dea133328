import type { Verdicts } from '../../types.ts';

export const SILENT = 'silent_instance';

/** The applications with a silent instance, those that are listed. */
export function silentIn({ verdicts }: Verdicts): Map<string, Verdicts['verdicts'][number]> {
  const silent = verdicts.filter(({ verdict }) => verdict === SILENT);
  return new Map(silent.map((found) => [found.appName ?? '', found]));
}

import type { Verdicts } from '../../types.ts';
import { formatCount } from '../format.ts';

const SILENT = 'silent_instance';

/** The applications with a silent instance, those that are listed. */
export function silentIn({ verdicts }: Verdicts): Map<string, Verdicts['verdicts'][number]> {
  const silent = verdicts.filter(({ verdict }) => verdict === SILENT);
  return new Map(silent.map((found) => [found.appName ?? '', found]));
}

/** ", 11 with a silent instance"; "at least" if not all verdicts are listed. Empty without any. */
export function silentWords(data: Verdicts | undefined): string {
  if (data === undefined) return '';
  const listed = data.verdicts.filter(({ verdict }) => verdict === SILENT).length;
  const total = data.totals.find(({ verdict }) => verdict === SILENT)?.total ?? 0;
  const applications = silentIn(data).size;
  if (applications === 0) return '';
  return `, ${total > listed ? 'at least ' : ''}${formatCount(applications)} with a silent instance`;
}

import type { Verdicts } from '../../types.ts';
import { formatCount } from '../format.ts';
import { kindOf } from './verdict-kinds.ts';

/** "412 verdicts are not listed: 400 unknown, 12 new"; empty if all are. */
export function hiddenWords({ verdicts, totals }: Verdicts): string {
  const hidden = totals
    .map(({ verdict, total }) => ({
      verdict,
      left: total - verdicts.filter((one) => one.verdict === verdict).length,
    }))
    .filter(({ left }) => left > 0);
  if (hidden.length === 0) return '';
  const sum = hidden.reduce((all, { left }) => all + left, 0);
  const kinds = hidden.map(({ verdict, left }) => `${formatCount(left)} ${kindOf(verdict).title}`);
  return `${formatCount(sum)} verdicts are not listed: ${kinds.join(', ')}.`;
}

export function isAnyHidden(found: Verdicts | undefined): boolean {
  return found !== undefined && hiddenWords(found) !== '';
}

import { formatCount } from '../../state/format.ts';
import type { Column } from './rows.tsx';

type Counted = { readonly count: number };

/** How often something happened. `label` says what is counted in the cards of a phone. */
export function countColumn<T extends Counted>(
  title: string,
  label: string,
  width: `${number}px` = '88px',
): Column<T> {
  return {
    id: 'count',
    title,
    width,
    isNumber: true,
    label,
    show: ({ count }) => <span class="number">{formatCount(count)}</span>,
  };
}

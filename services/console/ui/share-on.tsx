import { formatShare } from '../state/format.ts';

type Props = { readonly yes: number; readonly known: number };

/** The share of evaluations that were enabled, of those whose result is known. */
export function ShareOn({ yes, known }: Props) {
  if (known === 0) return <span class="muted">not reported</span>;
  return <span class="number">{formatShare(yes, known)}</span>;
}

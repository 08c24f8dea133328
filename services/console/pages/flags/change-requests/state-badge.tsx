import type { State } from '../../../state/change-request-steps.ts';

const TONES: Readonly<Partial<Record<State, string>>> = {
  'In review': 'attention',
  Approved: 'on',
  Scheduled: 'on',
};

/** Amber waits for somebody, and blue will be applied. */
export function StateBadge({ state }: { readonly state: State }) {
  return <span class={`badge ${TONES[state] ?? ''}`}>{state}</span>;
}

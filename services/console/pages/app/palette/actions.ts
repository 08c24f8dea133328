import { useConsole } from '../../../console.ts';
import type { Choice } from './choices.ts';

/** What the console can do from everywhere. */
export function useActions(onSignOut: (() => void) | undefined): readonly Choice[] {
  const { preferences, router } = useConsole();
  const { theme, chosenZone } = preferences;
  const action = (title: string, run: Choice['run']): Choice => ({ kind: 'Action', title, run });
  return [
    action('List archived flags', () => {
      router.go('archived');
    }),
    action(chosenZone.value === 'UTC' ? 'Show local time' : 'Show UTC', () => {
      chosenZone.value = chosenZone.peek() === 'UTC' ? 'local' : 'UTC';
    }),
    ...(['light', 'dark', 'system'] as const).map((name) =>
      action(`Use the ${name} theme`, () => {
        theme.value = name;
      }),
    ),
    action('Print this page', () => {
      window.print();
    }),
    ...(onSignOut === undefined ? [] : [action('Sign out', onSignOut)]),
  ];
}

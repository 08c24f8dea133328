import { type ReadonlySignal, type Signal, computed, effect, signal } from '@preact/signals';
import type { Zone } from '../format.ts';
import { localZone } from '../time/local-zone.ts';

export type Theme = 'system' | 'light' | 'dark';

export type Preferences = {
  readonly theme: Signal<Theme>;
  /** What the reader has chosen. */
  readonly chosenZone: Signal<Zone>;
  /** The zone of all times: UTC while that of the browser is unknown. */
  readonly zone: ReadonlySignal<Zone>;
};

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const ZONES: readonly Zone[] = ['UTC', 'local'];

/** Theme and time zone, remembered by the browser. `root` shows the theme. */
export function createPreferences(storage: Storage, root: HTMLElement): Preferences {
  const theme = remembered(storage, 'flagmeter.theme', THEMES);
  const chosenZone = remembered(storage, 'flagmeter.zone', ZONES);
  const zone = computed<Zone>(() => (localZone() === undefined ? 'UTC' : chosenZone.value));
  effect(() => {
    root.dataset['theme'] = theme.value;
  });
  return { theme, chosenZone, zone };
}

/** A signal that starts with the stored value, or with the first choice. */
function remembered<T extends string>(storage: Storage, key: string, choices: readonly T[]): Signal<T> {
  const stored = storage.getItem(key);
  const [first] = choices;
  const found = choices.find((choice) => choice === stored) ?? first;
  if (found === undefined) throw new Error(`${key} has no choices`);
  const value = signal<T>(found);
  effect(() => {
    storage.setItem(key, value.value);
  });
  return value;
}

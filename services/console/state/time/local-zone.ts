import type { Zone } from '../format.ts';

/** The zone of this browser by the name that the API knows; undefined if the browser does not know it, or knows only an offset. */
export function localZone({ timeZone } = Intl.DateTimeFormat().resolvedOptions()): string | undefined {
  return timeZone !== 'Etc/Unknown' && /^[A-Za-z][\w+/-]{0,63}$/.test(timeZone) ? timeZone : undefined;
}

/** The zone as the API knows it. */
export function zoneName(zone: Zone): string {
  return zone === 'UTC' ? 'UTC' : (localZone() ?? 'UTC');
}

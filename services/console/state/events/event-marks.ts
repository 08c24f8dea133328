import type { Event } from '../../types.ts';
import type { Mark } from '../chart/marks.ts';
import { say, isolate } from '#base/words';
import { eventVerb, rolloutChange } from './event-words.ts';

/** Who did what, in the words of the list of events. */
export function marksOf(events: readonly Event[]): Mark[] {
  return events.map((event) => {
    const { featureName, environment, createdAt, createdBy } = event;
    const place = environment === null ? '' : say`in ${environment}`;
    const words = [
      isolate(createdBy),
      eventVerb(event),
      featureName === null ? '' : isolate(featureName),
      place,
      rolloutChange(event),
    ];
    return { at: Date.parse(createdAt), title: words.filter(Boolean).join(' ') };
  });
}

import type { CodePlace } from './place.ts';

/** More places of a name help nobody, and a name that is everywhere must not crowd out the others. */
const MAX_PLACES_OF_NAME = 500;

/**
 * Gathers places within bounds: of each name, and of all together. Calls matter more, so mentions only take the room that calls
 * leave. Longer paths than `maxPath` are left out.
 */
export function createPlaces({ maxPlaces, maxPath }: { maxPlaces: number; maxPath: number }) {
  const kept: Record<CodePlace['kind'], CodePlace[]> = { call: [], mention: [] };
  const counts = new Map<string, number>();
  let found = 0;
  return {
    add(place: CodePlace): void {
      found += 1;
      const key = `${place.kind} ${place.name}`;
      const count = counts.get(key) ?? 0;
      const ofKind = kept[place.kind];
      if (count >= MAX_PLACES_OF_NAME || ofKind.length >= maxPlaces || place.path.length > maxPath) return;
      counts.set(key, count + 1);
      ofKind.push(place);
    },

    /** By name, path and line; and how many more were found. */
    result(): { places: CodePlace[]; leftOut: number } {
      const places = [...kept.call, ...kept.mention].slice(0, maxPlaces).sort(compare);
      return { places, leftOut: found - places.length };
    },
  };
}

function compare(one: CodePlace, other: CodePlace): number {
  return order(one.name, other.name) || order(one.path, other.path) || one.line - other.line;
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

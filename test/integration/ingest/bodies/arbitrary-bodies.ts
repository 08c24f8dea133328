import fc from 'fast-check';
import { batchesAround } from '../../../support/builders/arbitraries.ts';

/**
 * Twenty JSON texts that a stranger may send: batches, batches with another value in one place, arbitrary JSON, and a batch that is
 * too large. There is a fixed number of each, so that no kind is missing by chance.
 */
export function bodiesAround(receivedAt: number): fc.Arbitrary<string[]> {
  const batches = batchesAround(receivedAt).map((batch) => JSON.stringify(batch));
  const spoilt = fc.tuple(batches, fc.nat(), values).map(([text, place, value]) => spoil(text, place, value));
  const oversized = fc
    .tuple(batches, fc.integer({ min: 105_000, max: 200_000 }))
    .map(([text, length]) => text.replace('{', `{"pad":"${'x'.repeat(length)}",`));
  return fc
    .tuple(times(6, batches), times(10, spoilt), times(3, fc.json({ maxDepth: 4 })), oversized)
    .map(([good, bad, any, large]) => [...good, ...bad, ...any, large]);
}

function times<T>(count: number, of: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(of, { minLength: count, maxLength: count });
}

/** As JSON text, because JavaScript has no value for some of them. */
const values = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom('null', '1e400', '-1e400', '1.0', '-0', '9007199254740993', '{"__proto__":{"yes":7}}'),
  fc.string({ unit: 'binary', maxLength: 300 }).map((text) => JSON.stringify(text)),
);

const MARK = 'the replaced value';

/** Replaces the value in one place of a JSON text, at any depth. */
function spoil(text: string, place: number, value: string): string {
  const body: unknown = JSON.parse(text);
  const places = placesIn(body);
  const chosen = places[place % places.length];
  if (chosen === undefined) return value;
  const [holder, key] = chosen;
  // Not by assignment, which would set the prototype instead of a member with that name.
  Object.defineProperty(holder, key, { value: MARK, enumerable: true });
  return JSON.stringify(body).replace(JSON.stringify(MARK), () => value);
}

type Member = readonly [holder: object, key: string];

function placesIn(value: unknown): Member[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [[value, key] as const, ...placesIn(item)]);
}

import { inBodies } from '#unleash/client';

/** Unleash rejects a body of more than 102,400 bytes. */
const MAX_BODY_BYTES = 95_000;
/** The members of a body around its list. */
const FRAME_BYTES = 64;

/** The longest item that fits into a body. */
export const MAX_ITEM_BYTES = MAX_BODY_BYTES - FRAME_BYTES;

type OfEnvironment = { readonly environment: string };

/** Lists of items, each for one environment and one body. No item may be longer than MAX_ITEM_BYTES. */
export function splitByBody<Item extends OfEnvironment>(
  items: Iterable<Item>,
): { environment: string; part: Item[] }[] {
  const byEnvironment = new Map<string, Item[]>();
  for (const item of items) {
    const others = byEnvironment.get(item.environment) ?? [];
    byEnvironment.set(item.environment, others);
    others.push(item);
  }
  return [...byEnvironment].flatMap(([environment, ofOne]) =>
    inBodies(ofOne, MAX_ITEM_BYTES).map((part) => ({ environment, part })),
  );
}

import { MAX_EVALUATIONS } from '../found.ts';

const NAME = Buffer.from('dataPoints');
const MEMBER = '"dataPoints":[';
const [QUOTE = 0, BACKSLASH = 0, OBJECT = 0, OBJECT_END = 0, LIST = 0, LIST_END = 0] = Buffer.from('"\\{}[]');

/** A body of more lists is one of many metrics, which the general path reads as fast. */
const MAX_LISTS = 256;

/** A list of points in a body: where it begins and ends, and its points. */
export type CutList = {
  readonly start: number;
  readonly end: number;
  /** Four for each point: where its members begin, where its list begins and ends (or -1 without exactly one), where its members end. */
  readonly places: readonly number[];
};

export type CutBody = {
  readonly lists: readonly CutList[];
  /** The body, with its number in place of each list. */
  readonly rest: Buffer;
};

/**
 * Cuts the lists of points out of a body of JSON. It does not check that they are JSON. Undefined if they are too many, a member may have
 * the same name in another form, or a text contains an escape.
 */
export function cutLists(body: Buffer): CutBody | undefined {
  const lists: CutList[] = [];
  const parts: Buffer[] = [];
  let from = 0;
  for (let name = body.indexOf(NAME); name >= 0; name = body.indexOf(NAME, from)) {
    const start = name - 1 + MEMBER.length;
    if (body.toString('latin1', Math.max(name - 1, 0), start) !== MEMBER) return undefined;
    const list = body[start] === LIST_END ? { start, end: start, places: [] } : scan(body, start);
    if (list === undefined || parts.length > 2 * MAX_LISTS) return undefined;
    parts.push(body.subarray(from, start));
    if (list.end > start) {
      parts.push(Buffer.from(String(lists.length)));
      lists.push(list);
    }
    from = list.end;
  }
  parts.push(body.subarray(from));
  const rest = Buffer.concat(parts);
  return rest.includes(BACKSLASH) ? undefined : { lists, rest };
}

/** Finds the end of a list of points, by its brackets. What stands between its points is not checked. */
function scan(body: Buffer, start: number): CutList | undefined {
  if (body[start] !== OBJECT) return undefined;
  const places: number[] = [];
  let [depth, point, list, endOfList, lists] = [0, 0, 0, 0, 0];
  for (let at = start; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) {
      do at += 1;
      while (body[at] !== QUOTE && body[at] !== BACKSLASH && at < body.length);
      if (body[at] !== QUOTE) return undefined;
    } else if (byte === OBJECT || byte === LIST) {
      if (depth === 0) {
        if (byte !== OBJECT || places.length >= 4 * MAX_EVALUATIONS) return undefined;
        point = at + 1;
        lists = 0;
      } else if (depth === 1 && byte === LIST) {
        list = at;
        lists += 1;
      }
      depth += 1;
    } else if (byte === OBJECT_END || byte === LIST_END) {
      if (depth === 0) return byte === LIST_END ? { start, end: at, places } : undefined;
      depth -= 1;
      if (depth === 1 && byte === LIST_END) endOfList = at + 1;
      else if (depth === 0) places.push(point, lists === 1 ? list : -1, endOfList, at);
    }
  }
  return undefined;
}

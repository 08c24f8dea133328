/** A list of which only the first entries are shown. */
export type Cut = { readonly path: string; readonly shown: number; readonly of: number };

export type Shortened = {
  readonly value: unknown;
  readonly cuts: readonly Cut[];
};

/** The most entries of each list, and the most characters of each text, from the first try to the last. */
const TRIES = [
  { entries: 100, characters: 1000 },
  { entries: 50, characters: 1000 },
  { entries: 20, characters: 1000 },
  { entries: 10, characters: 500 },
  { entries: 5, characters: 300 },
  { entries: 2, characters: 200 },
  { entries: 0, characters: 100 },
];

/** Shows the first entries of each list, and the beginning of each text, until it fits. Undefined if nothing fits. */
export function shorten(value: unknown, isShort: (value: unknown) => boolean): Shortened | undefined {
  if (isShort(value)) return { value, cuts: [] };
  for (const limits of TRIES) {
    const cuts: Cut[] = [];
    const cut = cutTo(value, { ...limits, path: '', cuts });
    if (isShort(cut)) return { value: cut, cuts };
  }
  return undefined;
}

type Cutting = (typeof TRIES)[number] & { readonly path: string; readonly cuts: Cut[] };

function cutTo(value: unknown, cutting: Cutting): unknown {
  if (typeof value === 'string') return cutText(value, cutting.characters);
  if (Array.isArray(value)) return cutList(value, cutting);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]: [string, unknown]) => [
      key,
      cutTo(part, { ...cutting, path: `${cutting.path}/${cutText(key, cutting.characters)}` }),
    ]),
  );
}

function cutText(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}... (${text.length} characters)`;
}

/** Names a list once, also if it is in each entry of another one. */
function cutList(list: readonly unknown[], { path, cuts, ...limits }: Cutting): unknown[] {
  const { entries } = limits;
  if (list.length > entries && !cuts.some((one) => one.path === path))
    cuts.push({ path, shown: entries, of: list.length });
  return list.slice(0, entries).map((part) => cutTo(part, { ...limits, path: `${path}/*`, cuts }));
}

/** A place in the console: `#/features/default/new-basket?window=7d`. The server never sees it. */
export type Route = {
  /** Decoded parts of the path; empty for the overview. */
  readonly parts: readonly string[];
  readonly query: Readonly<Record<string, string>>;
};

/** Reads the fragment of a URL. Parts that cannot be decoded stay as they are. */
export function parseRoute(fragment: string): Route {
  const [path, search] = splitOnce(fragment.replace(/^#?\/?/, ''), '?');
  const parts = path.split('/').filter((part) => part !== '');
  return { parts: parts.map(decode), query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The fragment of a place. Empty values are left out. */
export function formatRoute({ parts, query }: Route): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(given).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** The token of a link that signs in: `#token=...`. */
export function tokenIn(fragment: string): string | undefined {
  const given = /^#token=(.+)$/.exec(fragment)?.[1];
  return given === undefined ? undefined : decode(given);
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

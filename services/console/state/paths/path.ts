const made = Symbol('made by pathTo');

/**
 * A path of the server, relative to the page, because a proxy may serve the console under another path. Only `pathTo` makes one, so no
 * name in it leads to another path.
 */
export type Path = {
  readonly text: string;
  /** A name in it that a browser takes for a step to another path. Such a path is never sent. */
  readonly step: string | undefined;
  readonly [made]: true;
};

type Part = string | number | URLSearchParams | Path;

/** pathTo`api/admin/features/${name}?${query}` encodes names. A path in it stays as it is. */
export function pathTo(texts: TemplateStringsArray, ...parts: readonly Part[]): Path {
  const step = parts.map(stepIn).find((found) => found !== undefined);
  const encoded = parts.map((part, at) => `${encode(part)}${texts[at + 1] ?? ''}`);
  return { text: `${texts[0] ?? ''}${encoded.join('')}`, step, [made]: true };
}

/** Who is signed in. */
export const CALLER = pathTo`api/admin/user`;

function encode(part: Part): string {
  if (part instanceof URLSearchParams) return part.toString();
  return typeof part === 'object' ? part.text : encodeURIComponent(part);
}

/** Browsers remove `.` and `..` from a path, encoded or not. Without a name, a path is that of another operation. */
function stepIn(part: Part): string | undefined {
  if (part instanceof URLSearchParams) return undefined;
  if (typeof part === 'object') return part.step;
  return part === '' || part === '.' || part === '..' ? part : undefined;
}

const MAX_LENGTH = 200;

/**
 * The place in a body as people write it: `metrics[3].yes` for the JSON pointer `/metrics/3/yes`. Pointers name only members of the
 * schema (`SchemaProblem`), so no text of a sender gets into it.
 */
export function placeInBody(pointer: string): string {
  const place = pointer
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
  return place.slice(0, MAX_LENGTH);
}

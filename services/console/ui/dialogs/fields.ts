/** A text field of a form; empty without it. */
export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}

/** The same without the blanks around it; null if nothing is left. */
export function textOrNull(fields: FormData, name: string): string | null {
  const text = textOf(fields, name).trim();
  return text === '' ? null : text;
}

import { readViews } from '../../../tools/docs/dictionary.ts';

/** The names of the views that cannot be read without arguments. */
export async function viewsWithParameters(): Promise<string[]> {
  return (await readViews()).filter(({ hasParameters }) => hasParameters).map(({ name }) => name);
}

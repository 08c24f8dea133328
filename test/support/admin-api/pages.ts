import { expect } from 'chai';
import type { Api } from './admin.ts';

/** Members of the items of several lists. */
export type Item = {
  id?: number;
  name?: string;
  appName?: string;
  username?: string;
  type?: string;
  title?: string;
  environment?: string;
  yes?: number;
  no?: number;
};
type Page = { items: Item[]; nextCursor: string | null };

export type Pages = ReturnType<typeof pagesOf>;

/** Reads the lists under /api/admin/search. */
export function pagesOf(api: Api) {
  const pages = {
    async read(list: string, query: Record<string, string> = {}): Promise<Page> {
      const search = new URLSearchParams(query);
      const { status, body } = await api.get(`/api/admin/search/${list}?${search.toString()}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body as Page;
    },

    /** All items, read in pages; `meanwhile` runs between the pages. */
    async readAll(
      list: string,
      query: Record<string, string>,
      meanwhile: (page: number) => Promise<unknown> = () => Promise.resolve(),
    ): Promise<Item[]> {
      const items: Item[] = [];
      let page = await pages.read(list, query);
      for (let number = 1; ; number += 1) {
        items.push(...page.items);
        if (page.nextCursor === null) return items;
        await meanwhile(number);
        page = await pages.read(list, { ...query, cursor: page.nextCursor });
      }
    },
  };
  return pages;
}

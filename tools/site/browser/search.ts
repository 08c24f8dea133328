import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './search-options.ts';

const script = document.querySelector<HTMLScriptElement>('script[data-root]');
const input = document.querySelector<HTMLInputElement>('input[type=search]');
const results = document.querySelector<HTMLElement>('#results');
const root = script?.dataset['root'] ?? '';
const MOST = 12;

type Index = { search(text: string): { id: string; title: string; page: string }[] };

let index: Promise<Index> | undefined;

/** Read when somebody begins to search. */
async function readIndex(): Promise<Index> {
  const answer = await fetch(`${root}search.json`);
  const read = MiniSearch.loadJSON<{ title: string; page: string }>(await answer.text(), SEARCH_OPTIONS);
  return {
    search: (text) =>
      read
        .search(text, { prefix: true, fuzzy: 0.2, boost: { title: 3, page: 2 }, combineWith: 'AND' })
        .map(({ id, title, page }) => ({ id: String(id), title: String(title), page: String(page) })),
  };
}

async function show(text: string): Promise<void> {
  if (results === null) return;
  if (text.trim() === '') {
    results.replaceChildren();
    return;
  }
  index ??= readIndex();
  const found = (await index).search(text);
  if (input?.value !== text) return; // somebody has typed on
  const list = document.createElement('ul');
  for (const { id, title, page } of found.slice(0, MOST)) {
    const link = document.createElement('a');
    link.href = `${root}${id}`;
    link.textContent = title === page ? title : `${page}: ${title}`;
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
  }
  results.replaceChildren(found.length === 0 ? 'Nothing was found.' : list);
}

async function showInput(): Promise<void> {
  try {
    await show(input?.value ?? '');
  } catch {
    index = undefined;
    results?.replaceChildren('The search cannot be read.');
  }
}

// oxlint-disable-next-line typescript/no-misused-promises -- it never rejects
input?.addEventListener('input', showInput);
input?.form?.addEventListener('submit', (event) => {
  event.preventDefault();
  results?.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    input?.focus();
  } else if (event.key === 'Escape') results?.replaceChildren();
});

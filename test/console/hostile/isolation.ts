import { contain, visible } from '#base/words';
import { HOSTILE_NAMES } from './names.ts';

/** A name that stands alone may be written as it wants. */
const NAMES = HOSTILE_NAMES.flatMap((name) => [name, `tag:${name}`]).map((name) => contain(visible(name)));

/**
 * What a page shows of names that say how text is written and that could turn the text around them round. An expression for the
 * browser, because tests have no types of its document.
 */
export const FOUND_LOOSE = `(() => {
  const NAMES = new Set(${JSON.stringify(NAMES)});
  const DIRECTED = /[\\u0590-\\u08ff\\u200f\\u2028-\\u202e\\u2066-\\u2069]/;
  const withoutIsolates = (text) => {
    const inner = /\\u2068[^\\u2066-\\u2069\\u2028\\u2029]*\\u2069/g;
    for (let shorter = text.replace(inner, ''); shorter !== text; shorter = text.replace(inner, '')) text = shorter;
    return text;
  };
  const isContained = (text) => !/[\\u2066-\\u2069\\u2028\\u2029]/.test(withoutIsolates(text));
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.data;
    // The browser shows these as paragraphs of their own.
    if (node.parentElement.closest('option, textarea') !== null) continue;
    const isAlone = node.parentElement.closest('bdi, [dir=auto]') !== null;
    const isName = isAlone && NAMES.has(text) && isContained(text);
    if (!isName && DIRECTED.test(withoutIsolates(text))) found.push('text: ' + text);
  }
  for (const element of document.querySelectorAll('[aria-label], [title]'))
    for (const name of ['aria-label', 'title']) {
      const value = element.getAttribute(name) ?? '';
      // The whole of a name stands alone.
      const isName = name === 'title' && element.matches('bdi');
      if (!isName && DIRECTED.test(withoutIsolates(value))) found.push(name + ': ' + value);
    }
  if (DIRECTED.test(withoutIsolates(document.title))) found.push('title of the page: ' + document.title);
  return found;
})()`;

import { expect } from 'chai';
import { resultOf } from '../../../../packages/tooling/mcp/answers/result.ts';
import { shorten } from '../../../../packages/tooling/mcp/answers/shorten.ts';

const isShort = (characters: number) => (value: unknown) => JSON.stringify(value).length <= characters;

describe('shorten', () => {
  it('leaves a short answer alone', () => {
    const value = { items: [1, 2, 3], text: 'x'.repeat(5000), none: null };
    expect(shorten(value, isShort(6000))).to.deep.equal({ value, cuts: [] });
  });

  it('keeps the first entries of lists, and names each list once', () => {
    const items = Array.from({ length: 80 }, (_, id) => ({
      id,
      tags: Array.from({ length: 60 }, () => 'tag'),
    }));
    const shortened = shorten({ items, total: 80 }, isShort(10_000));
    expect(shortened?.cuts).to.deep.equal([
      { path: '/items', shown: 20, of: 80 },
      { path: '/items/*/tags', shown: 20, of: 60 },
    ]);
    const { value } = shortened as { value: { items: { id: number; tags: string[] }[]; total: number } };
    expect(value.total).to.equal(80);
    expect(value.items.map(({ id }) => id)).to.deep.equal(Array.from({ length: 20 }, (_, id) => id));
    expect(value.items[0]?.tags).to.have.length(20);
  });

  it('says how long a text was', () => {
    const shortened = shorten({ text: 'x'.repeat(5000) }, isShort(2000));
    expect(shortened?.value).to.deep.equal({ text: `${'x'.repeat(1000)}... (5000 characters)` });
  });

  it('gives up if even the shortest form is too long', () => {
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, id) => [`key-${id}`, id]));
    expect(shorten(value, isShort(100))).to.equal(undefined);
    const [block] = resultOf({ status: 200, body: { ...value, ...wide(4000) } }).content;
    expect(block).to.include({ text: 'The answer is too long. Ask for less.' });
  });
});

describe('the result of a tool', () => {
  const textOf = (body: unknown) => {
    const [block] = resultOf({ status: 200, body }).content;
    return block?.type === 'text' ? block.text : '';
  };

  it('has two lines, whatever the data contains', () => {
    for (const text of ['a\nb', 'a\r\nb', '\u2028', '\u0085', '\v\f'])
      expect(textOf({ [text]: text }).split(/[\n\r\u2028\u2029\u0085\v\f]/)).to.have.length(2);
  });

  it('escapes what people do not see, and only that', () => {
    const [, json = ''] = textOf(['\u202Eab\u{E0041}', 'Grüße 你好 👍']).split('\n');
    expect(json).to.equal('["\\u202eab\\udb40\\udc41","Grüße 你好 👍"]');
  });

  it('says that the next page does not continue a page of which not all is shown', () => {
    const page = (items: readonly string[]) => ({ items, nextCursor: 'x' });
    const long = 'x'.repeat(900);
    expect(textOf(page(Array.from({ length: 90 }, () => long)))).to.include('nextCursor leaves out');
    expect(textOf(page(Array.from({ length: 30 }, () => long)))).not.to.include('leaves out');
  });

  it('is an error if the status is one', () => {
    expect(resultOf({ status: 404, body: { name: 'NotFoundError' } }).isError).to.equal(true);
    expect(resultOf({ status: 200, body: undefined }).isError).to.equal(undefined);
  });
});

function wide(keys: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: keys }, (_, id) => [`a-long-key-of-an-object-${id}`, id]));
}

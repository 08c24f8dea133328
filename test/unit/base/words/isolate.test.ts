import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { isolate, list, say, visible } from '#base/words';

const CONSOLE = 'services/console';
const JOINED = [
  'pages/advice/notifications/notifications.tsx',
  'pages/flags/feature/guards.tsx',
  'pages/flags/feature/strategies.tsx',
  'pages/usage/applications/application.tsx',
  'state/sentences/headings.ts',
  'state/strategies/strategy-words.ts',
  'ui/chart/marks.tsx',
];
const CHARACTERS = [
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\u2028',
  '\u2029',
  '\u202a',
  '\u202e',
  '\u200f',
  'a',
  '1',
  ' ',
];

describe('a name in a sentence of the console', () => {
  it('is isolated if it says how it is written', () => {
    expect(say`${'old-banner'} is on for ${'12.4 %'} in ${3} places`).to.equal(
      'old-banner is on for 12.4 % in 3 places',
    );
    expect(say`${'\u202eflag'} is on for ${'100 %'}`).to.equal('\u2068\u202eflag\u2069 is on for 100 %');
    expect(say`${'flag\u2069\u202e'} is on`).to.equal('\u2068flag\uFFFD\u202e\u2069 is on');
    expect(say`${'one\u2029two'} is on`).to.equal('\u2068one\uFFFDtwo\u2069 is on');
  });

  it('is seen, whatever it is, and differs from every other name', () => {
    expect(say`${'\u3000'} is on`).to.equal('[U+3000] is on');
    expect(say`${'\u202e'} is on`).to.equal('[U+202E] is on');
    expect(
      ['  ', '\u200b', 'flag\u200b', 'flag', '\u{1f469}\u200d\u{1f4bb}', 'caf\u00e9', ''].map(visible),
    ).to.deep.equal([
      '[U+0020][U+0020]',
      '[U+200B]',
      'flag[U+200B]',
      'flag',
      '\u{1f469}\u200d\u{1f4bb}',
      'caf\u00e9',
      '',
    ]);
  });

  it('turns no name and no number beside it round', () => {
    expect(list(['\u202eone', '3 more'])).to.equal('\u2068\u202eone\u2069, 3 more');
  });

  it('neither ends its isolate nor leaves one open, whatever it is', () => {
    const name = fc.array(fc.constantFrom(...CHARACTERS)).map((characters) => characters.join(''));
    fc.assert(
      fc.property(name, name, (one, other) => {
        for (const text of [isolate(one), say`${say`${one}: ${other}`} is on`]) {
          let depth = 0;
          for (const character of text) {
            if ('\u2066\u2067\u2068'.includes(character)) depth += 1;
            if (character === '\u2069') depth -= 1;
            expect(depth).to.be.at.least(0);
            if ('\u202a\u202e\u200f'.includes(character)) expect(depth).to.be.at.least(1);
            expect('\u2028\u2029').to.not.include(character);
          }
          expect(depth).to.equal(0);
        }
      }),
    );
  });

  it('survives being a part of two sentences', () => {
    const sentence = say`${'\u202eflag'} is archived.`;
    expect(say`Not undone. ${sentence}`).to.equal(`Not undone. \u2068${sentence}\u2069`);
  });

  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const findIn = (pattern: RegExp, except: readonly string[] = []): string[] =>
    files
      .filter((file) => !except.includes(file))
      .flatMap((file) =>
        [...readFileSync(`${CONSOLE}/${file}`, 'utf8').matchAll(pattern)].map(
          ([found]) => `${file}: ${found}`,
        ),
      );

  it('goes through one place: words with names are tagged, and elements that isolate are those of ui/parts', () => {
    expect(
      findIn(/\b(?:done|hint|label|answer|title|text|document\.title)(?:=\{|: | = )`[^`]*\$\{[^`]*`/g, [
        'state/paths/path.ts',
      ]),
    ).to.deep.equal([]);
    expect(findIn(/<bdi/g, ['ui/parts.tsx'])).to.deep.equal([]);
    // Names in a row go through `list`. These join sentences.
    expect(findIn(/(?<!map\(isolate\))\.join\('[,;] '\)/g, JOINED)).to.deep.equal([]);
  });
});

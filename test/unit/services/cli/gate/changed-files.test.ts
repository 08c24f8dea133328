import { expect } from 'chai';
import { parsePaths } from '../../../../../services/cli/commands/gate/changed-files.ts';

describe('parsePaths', () => {
  const parse = (list: string): string[] => parsePaths(Buffer.from(list));

  it('takes one path a line, and no empty ones', () => {
    expect(parse('src/a.ts\r\n\ndocs/new basket.md\n')).to.deep.equal(['src/a.ts', 'docs/new basket.md']);
  });

  it('understands the quotes of git', () => {
    const list = [
      String.raw`"docs/\303\274n\303\257 code.md"`,
      String.raw`"a\tb\\c\"d.ts"`,
      String.raw`"ünï\n新.ts"`,
      '"',
      'a"b"',
    ];
    expect(parse(list.join('\n'))).to.deep.equal([
      'docs/ünï code.md',
      'a\tb\\c"d.ts',
      'ünï\n新.ts',
      '"',
      'a"b"',
    ]);
  });

  it('takes names with any characters before a NUL, as of git diff -z', () => {
    expect(parse('a\nb.ts\0"c".ts\0d\te.ts\0')).to.deep.equal(['a\nb.ts', '"c".ts', 'd\te.ts']);
  });

  it('shows a name that is not UTF-8 as git quotes it, whether it is quoted in the list or not', () => {
    const raw = Buffer.from('caf\u00e9.ts\ncaf\u00e9\u0001.ts', 'latin1');
    const listed = [String.raw`"caf\351.ts"`, String.raw`"caf\351\001.ts"`];
    expect(parsePaths(raw)).to.deep.equal(listed);
    expect(parse(listed.join('\n'))).to.deep.equal(listed);
  });

  it('takes no columns, because no path would be found', () => {
    expect(() => parse('M\tsrc/a.ts')).to.throw('git diff --name-only');
  });
});

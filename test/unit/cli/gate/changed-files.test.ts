import { expect } from 'chai';
import { parsePaths } from '../../../../services/cli/commands/gate/changed-files.ts';

describe('parsePaths', () => {
  it('takes one path a line, and no empty ones', () => {
    expect(parsePaths('src/a.ts\r\n\ndocs/new basket.md\n')).to.deep.equal([
      'src/a.ts',
      'docs/new basket.md',
    ]);
  });

  it('understands the quotes of git', () => {
    const list = [
      String.raw`"docs/\303\274n\303\257 code.md"`,
      String.raw`"a\tb\\c\"d.ts"`,
      String.raw`"ünï\n新.ts"`,
      '"',
      'a"b"',
    ];
    expect(parsePaths(list.join('\n'))).to.deep.equal([
      ...['docs/ünï code.md', 'a\tb\\c"d.ts', 'ünï\n新.ts', '"', 'a"b"'],
    ]);
  });
});

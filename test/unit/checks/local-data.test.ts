import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const DEFAULT_FOLDER = /import\.meta\.dirname, '((?:\.\.\/)+\.local)[/']/g;

describe('the folder of local data', () => {
  it('lies in the root of the repository, whichever file names it', () => {
    const files = execFileSync('git', ['grep', '-l', 'import.meta.dirname, .*[.]local', '--', '*.ts'], {
      encoding: 'utf8',
    });
    const named = files
      .trim()
      .split('\n')
      .flatMap((file) =>
        Array.from(readFileSync(file, 'utf8').matchAll(DEFAULT_FOLDER), ([, folder = '']) => ({
          file,
          folder: path.join(path.dirname(file), folder),
        })),
      );
    expect(named).to.have.length.greaterThan(1);
    expect(named.filter(({ folder }) => folder !== '.local')).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { largeFolders } from '../../../../tools/checks/folder-sizes.ts';

const files = (folder: string, number: number) =>
  Array.from({ length: number }, (_, index) => `${folder}/${index}.ts`);

describe('the sizes of folders', () => {
  it('are a dozen files, whatever lies deeper', () => {
    expect(largeFolders([...files('a/b', 12), ...files('a/b/c', 12)])).to.deep.equal([]);
    expect(largeFolders([...files('a/b', 13), ...files('a/c', 12)])).to.deep.equal([
      'a/b holds 13 files; split it by meaning, so that it holds at most 12',
    ]);
  });

  it('are a dozen folders', () => {
    const inFolders = files('a', 13).map((path) => `${path}/x/y.ts`);
    expect(largeFolders(inFolders)).to.deep.equal([
      'a holds 13 folders; split it by meaning, so that it holds at most 12',
    ]);
  });

  it('do not matter at the root, and where splitting would be worse', () => {
    const atRoot = files('a', 13).map((path) => path.slice(2));
    expect(largeFolders([...atRoot, ...files('infra/migrations/postgres', 13)])).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { folderCircles } from '../../../../tools/checks/folder-circles.ts';

const module = (source: string, ...imports: string[]) => ({
  source,
  dependencies: imports.map((resolved) => ({ resolved })),
});

describe('circles of folders', () => {
  it('finds folders that import each other, also round a corner and from below', () => {
    const modules = [
      module('a/one/x.ts', 'a/two/deep/y.ts'),
      module('a/two/z.ts', 'a/three/w.ts'),
      module('a/three/w.ts', 'a/one/x.ts'),
      module('a/four/v.ts', 'a/one/x.ts'),
    ];
    expect(folderCircles(modules)).to.deep.equal(['folders that import each other in a: one, three, two']);
  });

  it('lets files of a folder import its folders, and be imported by them', () => {
    const modules = [
      module('a/index.ts', 'a/one/x.ts'),
      module('a/one/x.ts', 'a/two/y.ts', 'a/shared.ts'),
      module('a/two/y.ts', 'a/index.ts'),
    ];
    expect(folderCircles(modules)).to.deep.equal([]);
  });

  it('finds those of the whole repository', () => {
    const modules = [module('a/x.ts', 'b/y.ts'), module('b/z.ts', 'a/x.ts')];
    expect(folderCircles(modules)).to.deep.equal(['folders that import each other in .: a, b']);
  });
});

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRepository } from '../../../../../services/cli/commands/scan/git/repository.ts';
import { createGitRepository } from '../../../../support/repositories/git-repository.ts';

describe('a repository', () => {
  it('has no commit before the first one, and fails as git does if its commit is damaged', async () => {
    const repository = await createGitRepository('https://github.com/acme/shop.git');
    try {
      await repository.write({ 'a.ts': 'one\n' });
      expect((await openRepository(repository.folder, process.env)).commit).to.equal(undefined);
      const commit = await repository.commit();
      expect((await openRepository(repository.folder, process.env)).commit).to.equal(commit);

      await rm(join(repository.folder, '.git/objects', commit.slice(0, 2), commit.slice(2)));
      const opened = await openRepository(repository.folder, process.env).then(
        () => 'opened',
        (error: unknown) => String(error),
      );
      expect(opened).to.include('HEAD');
    } finally {
      await repository.dispose();
    }
  });
});

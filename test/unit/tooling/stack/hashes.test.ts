import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { expectHashes } from '../../../../packages/tooling/stack/install/hashes.ts';

const HASH_OF_A = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';

describe('hashes of downloads', () => {
  let directory: string;
  let list: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-hashes-'));
    list = path.join(directory, '.list');
    await writeFile(list, `${HASH_OF_A}  a.jar\n`);
    await writeFile(path.join(directory, 'a.jar'), 'a');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('accepts exactly the files of the list', async () => {
    expect(await rejected()).to.equal('');
  });

  it('rejects a file with other bytes', async () => {
    await writeFile(path.join(directory, 'a.jar'), 'b');
    expect(await rejected()).to.match(/: a\.jar\.$/);
  });

  it('rejects a file that is missing', async () => {
    await rm(path.join(directory, 'a.jar'));
    expect(await rejected()).to.match(/: a\.jar\.$/);
  });

  it('rejects a file that is not in the list', async () => {
    await writeFile(path.join(directory, 'b.jar'), 'b');
    expect(await rejected()).to.match(/: b\.jar\.$/);
  });

  async function rejected(): Promise<string> {
    try {
      await expectHashes(directory, list);
      return '';
    } catch (error) {
      return String(error);
    }
  }
});

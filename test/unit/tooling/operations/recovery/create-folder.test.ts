import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { FlagmeterError } from '#base/runtime';
import { createFolder } from '../../../../../packages/tooling/operations/recovery/backup/create-folder.ts';

describe('createFolder', () => {
  let parent: string;

  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), 'flagmeter-folder-'));
  });
  afterEach(() => rm(parent, { recursive: true }));

  it('creates a folder for its owner only, and the folders above it', async () => {
    const folder = path.join(parent, 'backups/2026-11-22');
    await createFolder(folder);
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
  });

  it('rejects a folder that exists', async () => {
    const failure: unknown = await createFolder(parent).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(FlagmeterError).with.property('code', 'usage');
  });
});

import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepInMemory } from '../../../../tools/run/suite/folder-in-memory.ts';

describe('a folder in memory', () => {
  let parent: string;
  let folder: string;

  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), 'flagmeter-'));
    folder = path.join(parent, 'data');
  });
  afterEach(() => rm(parent, { recursive: true }));

  it('replaces a folder and its content', async () => {
    await mkdir(folder);
    await writeFile(path.join(folder, 'old'), '');
    const remove = await keepInMemory(folder);
    const found = await readdir(folder);
    await remove();

    expect(found).to.deep.equal([]);
  });

  it('is deleted with its content', async () => {
    const remove = await keepInMemory(folder);
    await writeFile(path.join(folder, 'new'), '');
    const content = await realpath(folder);
    await remove();

    expect([existsSync(content), await readdir(parent)]).to.deep.equal([false, []]);
  });

  it('is deleted by the next run if its own run was killed', async () => {
    await keepInMemory(folder);
    await writeFile(path.join(folder, 'left'), '');
    const left = path.join(await realpath(folder), 'left');
    const remove = await keepInMemory(folder);
    const found = await readdir(folder);
    await remove();

    expect([existsSync(left), found]).to.deep.equal([false, []]);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { withLock } from '#tooling/stack';

describe('the lock of an installation', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'flagmeter-lock-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is awaited while the process that holds it lives, as long as the caller says', async () => {
    const file = path.join(folder, 'held');
    await writeFile(file, String(process.pid));
    const refused = await withLock(file, () => Promise.resolve('installed'), 1).catch(String);
    expect(refused).to.include(`another process has held ${file}`);

    const waiting = withLock(file, () => Promise.resolve('installed'), 600_000);
    await rm(file);
    expect(await waiting).to.equal('installed');
  });

  it('is taken over from a process that has died', async () => {
    const file = path.join(folder, 'left');
    await writeFile(file, '4194305'); // above the largest id of Linux
    expect(await withLock(file, () => Promise.resolve('installed'))).to.equal('installed');
  });
});

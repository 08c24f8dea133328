import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'infra/systemd');
const units = readdirSync(folder);
const isAnalyzeInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!isAnalyzeInstalled)
  process.stderr.write('systemd-analyze is missing: it does not verify infra/systemd.\n');

describe('infra/systemd', () => {
  it('starts programs that have a source file', () => {
    const programs = units.map((unit) => /\/dist\/(\S+)\.js/.exec(read(unit))?.[1] ?? 'no program');
    const services = ['ingest', 'worker', 'admin', 'unleash-bridge'];
    const paths = programs.flatMap((path) =>
      path.includes('%i') ? services.map((service) => path.replace('%i', service)) : path,
    );
    expect(paths).to.have.length(5);
    expect(paths.filter((path) => !existsSync(join(root, `${path}.ts`)))).to.deep.equal([]);
  });

  it('waits longer than a service that does not stop needs to end itself', () => {
    const lifecycle = readFileSync(join(root, 'packages/base/runtime/process/lifecycle.ts'), 'utf8');
    const [, deadlineMs = ''] = /STOP_DEADLINE_MS = (\d+_\d+)/.exec(lifecycle) ?? [];
    const [, stopSeconds = ''] = /^TimeoutStopSec=(\d+)$/m.exec(read('flagmeter@.service')) ?? [];
    expect(Number(stopSeconds) * 1000).to.be.greaterThan(Number(deadlineMs.replace('_', '')) + 5000);
  });

  if (isAnalyzeInstalled) {
    it('has units in which systemd-analyze finds no fault', async () => {
      expect(await readFaults()).to.deep.equal([]);
    });
  }
});

/** The lines of systemd-analyze about our units. It exits with 0 for unknown keys. */
async function readFaults(): Promise<readonly string[]> {
  const copies = await mkdtemp(join(tmpdir(), 'flagmeter-units-'));
  try {
    const paths = units.map((unit) => join(copies, unit.replace('@.', '@ingest.')));
    for (const [index, unit] of units.entries()) await copyFile(join(folder, unit), paths[index] ?? '');
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
      encoding: 'utf8',
    });
    return stderr.split('\n').filter((line) => line.includes('flagmeter'));
  } finally {
    await rm(copies, { recursive: true });
  }
}

function read(unit: string): string {
  return readFileSync(join(folder, unit), 'utf8');
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../tools/stack/index.ts';
import { describeNightly } from '../support/nightly.ts';
import { launchStart } from '../support/stack/processes/flagmeter-start.ts';
import { sharedWorld } from '../support/world.ts';

describeNightly('the settings of flagmeter start', () => {
  const world = sharedWorld();
  let directory: string;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-settings-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('log from info by default', async () => {
    const start = await launchStart(world, { LOG_LEVEL: undefined });
    expect([...start.pids().keys()]).to.include('worker');
    expect(await start.stop()).to.equal(0);
  });

  it('may have its ports and its host in files', async () => {
    const settings = { PORT: await freePort(), OPS_PORT: await freePort(), HTTP_HOST: '127.0.0.1' };
    const env: Record<string, string> = { PORT: '' };
    for (const [name, value] of Object.entries(settings)) {
      env[`${name}_FILE`] = path.join(directory, name);
      await writeFile(path.join(directory, name), String(value));
    }
    const start = await launchStart(world, env);
    expect(start.url).to.equal(`http://127.0.0.1:${settings.PORT}`);
    const { status } = await fetch(`http://127.0.0.1:${settings.OPS_PORT}/ready`);
    expect(status).to.equal(200);
    expect(await start.stop()).to.equal(0);
  });
});

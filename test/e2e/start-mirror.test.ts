import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import type { ReadyMessage } from '#runtime';
import { inheritedEnv } from '../../tools/clock/inherited-env.ts';
import { eventually } from '../support/eventually.ts';
import { pidOf } from '../support/processes/pid-of.ts';
import { programOf } from '../support/processes/programs.ts';
import { aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { UnleashSums } from '../support/upstream/unleash-sums.ts';
import { startUpstream } from '../support/upstream/upstream.ts';
import { type World, createWorld } from '../support/world.ts';

describe('flagmeter start with the tokens of a mirror', () => {
  let world: World;
  before(async () => {
    world = await createWorld();
  });
  after(() => world.dispose());

  it('runs the mirror of Unleash beside, and starts it again when it dies', async () => {
    const sums = new UnleashSums();
    const upstream = await startUpstream(sums.take);
    const { file, options } = programOf('cli');
    const unleashEnv = {
      UNLEASH_URL: upstream.url,
      UNLEASH_MIRROR_TOKENS: '*:production.of-unleash-0123456789',
      ADMIN_PORT: '0',
    };
    const child = fork(file, ['start'], {
      execArgv: [...options],
      env: { ...inheritedEnv(), ...world.env, ...unleashEnv },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    try {
      const [{ url }] = (await once(child, 'message')) as [ReadyMessage];
      const send = () => post({ url }, { body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }) });
      const hasMirrored = async (): Promise<void> => {
        const before = sums.yes;
        await eventually(
          async () => [(await send()).status, sums.yes],
          ([, yes = 0]) => yes > before,
        );
      };
      await hasMirrored();
      const metrics = await (await fetch(`${url}/internal-backstage/prometheus`)).text();
      expect(metrics).to.include('flagmeter_process_up{process="unleash-bridge"} 1');
      process.kill(await pidOf(child.pid ?? 0, 'services/unleash-bridge/main'), 'SIGKILL');
      await hasMirrored();
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await upstream.close();
    }
  });
});

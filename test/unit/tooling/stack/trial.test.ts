import { expect } from 'chai';
import { configSchema } from '#base/runtime';
import { trialEnvironment } from '../../../../packages/tooling/stack/serving/trial.ts';

describe('the environment of flagmeter try', () => {
  it('has no setting of another flagmeter, but its own ports, host and log', () => {
    const names = Object.keys(configSchema.properties);
    const shell = Object.fromEntries(
      names.flatMap((name) => [[name, 'x'] as const, [`${name}_FILE`, 'x'] as const]),
    );
    expect(trialEnvironment({ ...shell, PATH: '/bin', NODE_OPTIONS: '' })).to.deep.equal({
      PORT: 'x',
      OPS_PORT: 'x',
      HTTP_HOST: 'x',
      LOG_LEVEL: 'x',
      PATH: '/bin',
      NODE_OPTIONS: '',
    });
  });
});

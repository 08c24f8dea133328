import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { environmentOf } from '../../../../services/standalone/fork-service.ts';

const PRINT = "console.log(require('node:v8').getHeapStatistics().heap_size_limit)";

describe('the environment of the processes of flagmeter start', () => {
  const limitWith = (env: NodeJS.ProcessEnv): number =>
    Number(execFileSync(process.execPath, ['--eval', PRINT], { env, encoding: 'utf8' }));

  it('limits the young generation, which is part of the heap', () => {
    const others = { PATH: process.env['PATH'] };
    expect(limitWith(environmentOf(others))).to.equal(
      limitWith({ ...others, NODE_OPTIONS: '--max-semi-space-size=16' }),
    );
    expect(limitWith(environmentOf(others))).to.be.lessThan(
      limitWith({ ...others, NODE_OPTIONS: '--max-semi-space-size=64' }),
    );
  });

  it('keeps the options of the user', () => {
    const env = { NODE_OPTIONS: '--max-old-space-size=512', PORT: '1' };
    expect(environmentOf(env)).to.deep.equal(env);
    expect(environmentOf({ NODE_OPTIONS: '' })).to.deep.equal({ NODE_OPTIONS: '' });
  });
});

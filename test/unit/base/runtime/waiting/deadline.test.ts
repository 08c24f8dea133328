import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withDeadline } from '#base/runtime';
import { FROM_SOURCES } from '../../../../../tools/run/from-sources.ts';

const run = promisify(execFile);

describe('withDeadline', () => {
  it('resolves with the result if it comes in time', async () => {
    expect(await withDeadline(Promise.resolve('done'), 10_000, 'late')).to.equal('done');
  });

  it('rejects with the error if it comes in time', async () => {
    const outcome = withDeadline(Promise.reject(new Error('broken')), 10_000, 'late');
    expect(await rejectionOf(outcome)).to.equal('broken');
  });

  it('rejects when the deadline has passed', async () => {
    const outcome = withDeadline(new Promise(() => undefined), 1, 'late');
    expect(await rejectionOf(outcome)).to.equal('late');
  });

  it('causes no unhandled rejection when the deadline passes', async () => {
    expect(await unhandledAfter('')).to.equal('late; unhandled:');
  });

  it('causes no unhandled rejection when the work fails after the deadline', async () => {
    expect(await unhandledAfter('fail(new Error("failed later"));')).to.equal('late; unhandled:');
  });
});

async function rejectionOf(outcome: Promise<unknown>): Promise<string> {
  try {
    await outcome;
    return 'nothing';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Runs a deadline that passes in a separate process. Returns the outcome and the unhandled rejections then or after
 * one more step. The end of the process needs no deadline.
 */
async function unhandledAfter(step: string): Promise<string> {
  const program = `
    import { setImmediate } from 'node:timers/promises';
    import { withDeadline } from '#base/runtime';
    const unhandled = [];
    process.on('unhandledRejection', ({ message }) => unhandled.push(message));
    let fail;
    const work = new Promise((_resolve, reject) => { fail = reject; });
    const outcome = await withDeadline(work, 1, 'late').catch(({ message }) => message);
    ${step}
    await setImmediate();
    await withDeadline(setImmediate(), 3_600_000, 'its timer would keep the process alive');
    console.log([outcome, '; unhandled:', ...unhandled].join(''));`;
  const args = [...FROM_SOURCES, '--input-type=module', '--eval', program];
  return (await run(process.execPath, args, { timeout: 60_000 })).stdout.trim();
}

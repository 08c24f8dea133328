import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { FROM_SOURCES } from '../../../../tools/run/from-sources.ts';

const run = promisify(execFile);

/** The number of files of OpenTelemetry that a process has loaded after its imports. @prometheus-io/client loads the API itself. */
async function loadedBy(...modules: readonly string[]): Promise<number> {
  const program = `
    import { createRequire } from 'node:module';
    for (const module of ${JSON.stringify(modules)}) await import(module);
    const files = Object.keys(createRequire(process.cwd() + '/package.json').cache);
    console.log(files.filter((file) => /@opentelemetry.(?!api\\b)/.test(file)).length);`;
  const options = [...FROM_SOURCES, '--input-type=module', '--eval', program];
  const { stdout } = await run(process.execPath, options);
  return Number(stdout);
}

describe('OpenTelemetry', () => {
  it('is not loaded by the services before tracing is switched on', async () => {
    expect(await loadedBy('./services/standalone/app.ts', './services/worker/app.ts')).to.equal(0);
    expect(await loadedBy('./packages/base/runtime/tracing/opentelemetry.ts')).to.be.above(10);
  });
});

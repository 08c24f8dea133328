// `make start`: start.ts [--directory .local]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { choosePort, runAtTerminal, serveLocally } from '#tooling/stack';
import { buildConsole } from '../console/build.ts';
import { buildSite } from '../site/site.ts';
import { PROGRAM, ROOT } from './compile.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: path.join(ROOT, '.local') },
  },
});
const directory = path.resolve(values.directory);

await runAtTerminal(path.join(directory, 'logs'), async (interrupted) => {
  const wasUp = await serveLocally(
    {
      directory,
      env: process.env,
      port: await choosePort(process.env),
      program: PROGRAM,
      freePorts: false,
      hint: 'Nothing to look at yet? In another terminal, make sample fills it with a made-up shop.',
      // The services run from source and serve the console and the documents that make build also writes.
      prepare: () =>
        Promise.all([
          buildConsole(path.join(ROOT, 'dist/console')),
          buildSite(path.join(ROOT, 'dist/help'), { form: 'package' }),
        ]),
    },
    interrupted,
  );
  console.log(
    wasUp
      ? 'stopped; the engines keep running, as before (make stack-down stops them)'
      : 'stopped, engines included',
  );
  return 0;
});

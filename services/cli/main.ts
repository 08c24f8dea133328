#!/usr/bin/env node
import { constants } from 'node:os';
import { codeOf, exitCodeOf, isOfCommander } from './exit-code.ts';
import { messageOf } from './message.ts';
import { createProgram } from './program.ts';
import { whyTooOld } from '#base/version';

const tooOld = whyTooOld(process.versions.node);
if (tooOld !== undefined) {
  process.stderr.write(`${tooOld}\n`);
  process.exit(1);
}

// Its reader ended, such as `head`. Other programs then end by SIGPIPE, which shells report as this code.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(128 + constants.signals.SIGPIPE);
  throw error;
});

/** Imported only for a command, because help and version need neither settings nor log. */
async function openEnvironment() {
  const { env } = process;
  const { createLog, readConfig } = await import('#base/runtime');
  // The output of most commands is for people.
  return { env, log: createLog('flagmeter', env['LOG_LEVEL'] || 'warn'), readConfig: () => readConfig(env) };
}

try {
  await (await createProgram(openEnvironment, process.argv.slice(2))).parseAsync();
} catch (error) {
  if (!isOfCommander(error))
    process.stderr.write(`${codeOf(error) === 'config' ? '' : 'flagmeter: '}${messageOf(error)}\n`);
  // Exits at once, because a request to an unreachable engine may still be open.
  process.exit(exitCodeOf(error, process.exitCode));
}

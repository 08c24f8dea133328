#!/usr/bin/env node
import { constants } from 'node:os';
import { CommanderError } from 'commander';
import { ConfigError, createLog, readConfig } from '#base/runtime';
import { exitCodeOf } from './exit-code.ts';
import { messageOf } from './message.ts';
import { createProgram } from './program.ts';

// The output of most commands is for people.
const log = createLog('flagmeter', process.env['LOG_LEVEL'] || 'warn');

// Its reader ended, such as `head`. Other programs then end by SIGPIPE, which shells report as this code.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(128 + constants.signals.SIGPIPE);
  throw error;
});

try {
  await createProgram({ env: process.env, log, readConfig: () => readConfig(process.env) }).parseAsync();
} catch (error) {
  // Commander has printed the reason, or the help.
  if (!(error instanceof CommanderError))
    process.stderr.write(`${error instanceof ConfigError ? '' : 'flagmeter: '}${messageOf(error)}\n`);
  // Exits at once, because a request to an unreachable engine may still be open.
  process.exit(exitCodeOf(error, process.exitCode));
}

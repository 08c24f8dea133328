import type { Command } from 'commander';
import type { Config, Log } from '#base/runtime';

/** What commands need of the process in which they run. */
export type Environment = {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly readConfig: () => Config;
  /** The program with all its commands loaded. */
  readonly loadProgram: () => Promise<Command>;
};

import type { Config, Log } from '#base/runtime';

/** What commands need of the process in which they run. */
export type Environment = {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly readConfig: () => Config;
};

import type { Config, Log } from '#base/runtime';

/** The time of this host, in epoch milliseconds. */
export type Now = () => number;

export type Installation = {
  readonly config: Config;
  readonly log: Log;
  readonly now: Now;
  /** The disk of ClickHouse that `flagmeter backup` would use. Without it no disk for backups is examined. */
  readonly backupDisk?: string | undefined;
};

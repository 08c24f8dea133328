import type { Config, Log } from '#runtime';

/** The time of this host, in epoch milliseconds. */
export type Now = () => number;

export type Installation = { readonly config: Config; readonly log: Log; readonly now: Now };

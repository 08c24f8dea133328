import path from 'node:path';
import { enginesDirectory } from '../layout.ts';
import { withLock } from './lock.ts';
import { isStamped, setStamp, stampOf } from './stamp.ts';

export type Report = (line: string) => void;

export const print: Report = (line) => {
  process.stdout.write(`${line}\n`);
};

export type Installation = {
  /** What is installed, from where, and how large it is. */
  readonly what: string;
  /** The file that marks it as installed. `install` may remove its folder. */
  readonly mark: string;
  /** The files and the versions that it is made from. When they change, it is installed again. */
  readonly files: readonly string[];
  readonly versions?: readonly string[];
  readonly install: () => Promise<void>;
};

/** No installation takes longer, although some compile for many minutes. Whoever finds another process at one waits that long. */
export const LONGEST_INSTALLATION_MS = 60 * 60_000;

/** Bounds each download. */
export const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;

/** The machine, for what differs between machines. */
export const PLATFORM = `${process.platform}-${process.arch}`;

/**
 * Installs something unless it stands there already. Processes that want the same wait for the one that installs it, whose lock has
 * this name.
 */
export async function installOnceLocked(lock: string, wanted: Installation, report: Report): Promise<void> {
  const file = path.join(enginesDirectory, `${lock}.lock`);
  await withLock(file, () => installOnce(wanted, report), LONGEST_INSTALLATION_MS);
}

/** The same for a caller that holds a lock. */
export async function installOnce(wanted: Installation, report: Report): Promise<void> {
  const { what, mark, files, versions = [], install } = wanted;
  const stamp = stampOf(mark, { files, texts: versions });
  if (isStamped(stamp)) return;
  await announced(report, what, install);
  setStamp(stamp);
}

export async function announced(report: Report, what: string, action: () => Promise<void>): Promise<void> {
  const startedAt = Date.now();
  report(`getting ${what} ...`);
  await action();
  report(`prepared ${what} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

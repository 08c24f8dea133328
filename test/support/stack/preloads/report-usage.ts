/**
 * Answers each message of the parent process with what this process has used since its start. The CPU time is that of all its threads,
 * so other processes change nothing. From the first message `watch-turns` on, it also reports what turns of the event loop cost: the CPU
 * time of the main thread alone, if the system tells it (Linux), because others do not wait for the rest.
 */
import { openSync, readSync } from 'node:fs';

process.on('message', (message) => {
  if (message === 'watch-turns') {
    watchTurns();
    return;
  }
  const { maxRSS } = process.resourceUsage();
  process.send?.({ cpuMs: cpuMs(), peakBytes: maxRSS * 1024, longestTurnsMs: longest });
});
// Otherwise the process would not end by itself.
process.channel?.unref();

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Kept open, because it is read in every turn. Undefined if the system has none. */
const mainThread = openMainThread();
const read = Buffer.alloc(100);

function openMainThread(): number | undefined {
  try {
    return openSync('/proc/self/schedstat', 'r');
  } catch {
    return undefined;
  }
}

function mainThreadMs(): number {
  if (mainThread === undefined) return cpuMs();
  const length = readSync(mainThread, read, 0, read.length, 0);
  return Number(read.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}

/** Of turns of the event loop, the longest one first. */
const longest: number[] = [];
const MAX_LONGEST = 20;
let isWatching = false;

function watchTurns(): void {
  longest.length = 0;
  if (isWatching) return;
  isWatching = true;
  let before = mainThreadMs();
  const measure = (): void => {
    const now = mainThreadMs();
    const took = now - before;
    before = now;
    if (longest.length < MAX_LONGEST || took > (longest.at(-1) ?? 0)) {
      longest.push(took);
      longest.sort((a, b) => b - a).splice(MAX_LONGEST);
    }
    // Unreferenced, it would run only in turns that have something else to do, and those are all that count.
    setImmediate(measure).unref();
  };
  setImmediate(measure).unref();
}

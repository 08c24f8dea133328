/**
 * Answers each message of the parent process with what this process has used since its start. The CPU time is that of all its threads,
 * so other processes change nothing. From the first message `watch-turns` on, it also reports what turns of the event loop cost.
 */
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

/** Of turns of the event loop, the longest one first. */
const longest: number[] = [];
const MAX_LONGEST = 20;
let isWatching = false;

function watchTurns(): void {
  longest.length = 0;
  if (isWatching) return;
  isWatching = true;
  let before = cpuMs();
  const measure = (): void => {
    const now = cpuMs();
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

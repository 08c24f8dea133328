/**
 * Answers each message of the parent process with what this process has used since its start. The CPU time is that of all its threads,
 * so other processes change nothing.
 */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  process.send?.({ cpuMs: (user + system) / 1000, peakBytes: maxRSS * 1024 });
});
// Otherwise the process would not end by itself.
process.channel?.unref();

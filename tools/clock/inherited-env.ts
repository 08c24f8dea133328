/**
 * The variables that every process of the tests needs from our environment, even one that gets nothing else: the path of programs,
 * the memory settings of the Makefile, code that is compiled already, and the clock of `make test-at`.
 */
export function inheritedEnv(): Record<string, string> {
  const names = ['PATH', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'LD_PRELOAD', 'CLOCK_SHIFT_SECONDS'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

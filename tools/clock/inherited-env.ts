/**
 * The variables that every process of the tests needs from our environment, even one that gets nothing else: the path of programs,
 * and the clock of `make test-at`.
 */
export function inheritedEnv(): Record<string, string> {
  const names = ['PATH', 'LD_PRELOAD', 'CLOCK_SHIFT_SECONDS'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

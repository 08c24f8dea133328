import path from 'node:path';

/** Names of modules in test/support/preloads, which run in the process of a service before the service does. */
export type Preload = 'kill-at-point' | 'drop-intents' | 'no-deduplication' | 'acknowledge-early';

/** The file of a program and the options of node that run it. */
export type Program = { readonly file: string; readonly options: readonly string[] };

/**
 * `services/<service>/main`: as `make test` compiled it a moment ago, where that is what runs us, else from its source.
 * Compiled, a process starts with two seconds of CPU less, and the suite starts hundreds.
 */
export function programOf(service: string, preloads: readonly Preload[] = []): Program {
  const main = `services/${service}/main`;
  const modules = preloads.map((name) => `test/support/preloads/${name}`);
  const compiled = process.env['FLAGMETER_COMPILED'];
  if (compiled === undefined)
    return {
      file: `${main}.ts`,
      options: [
        '--conditions=source',
        '--import=tsx',
        ...modules.map((name) => `--import=${path.resolve(name)}.ts`),
      ],
    };
  return {
    file: path.join(compiled, `${main}.js`),
    options: modules.map((name) => `--import=${path.join(compiled, name)}.js`),
  };
}

/** What every process needs of our own environment: where programs are, and `make test-at`'s clock. */
export function inheritedEnv(): Record<string, string> {
  const names = ['PATH', 'LD_PRELOAD', 'CLOCK_SHIFT_SECONDS'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

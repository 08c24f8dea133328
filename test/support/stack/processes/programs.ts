import path from 'node:path';
import { FROM_SOURCES } from '../../../../tools/run/from-sources.ts';

/** Names of modules in test/support/stack/preloads, which run in the service process before the service. */
export type Preload =
  | 'kill-at-point'
  | 'drop-intents'
  | 'no-deduplication'
  | 'acknowledge-early'
  | 'mistake-lost-leader'
  | 'collect-garbage'
  | 'report-usage';

/**
 * `services/<service>/main` of another checkout of this repository, which has its `node_modules`.
 */
export function programIn(root: string, service: string): Program {
  return {
    file: path.join(root, `services/${service}/main.ts`),
    options: FROM_SOURCES,
  };
}

/** The file of a program and the Node options to run it. */
export type Program = { readonly file: string; readonly options: readonly string[] };

/**
 * `services/<service>/main`: the compiled version if `make test` runs these tests, otherwise the source. A compiled
 * process starts with two seconds less CPU, and the suite starts hundreds.
 */
export function programOf(service: string, preloads: readonly Preload[] = []): Program {
  const main = `services/${service}/main`;
  const modules = preloads.map((name) => `test/support/stack/preloads/${name}`);
  const compiled = process.env['FLAGMETER_COMPILED'];
  if (compiled === undefined)
    return {
      file: `${main}.ts`,
      options: [...FROM_SOURCES, ...modules.map((name) => `--import=${path.resolve(name)}.ts`)],
    };
  return {
    file: path.join(compiled, `${main}.js`),
    options: modules.map((name) => `--import=${path.join(compiled, name)}.js`),
  };
}

import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from '../console/build.ts';
import { buildSite } from '../site/site.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');
/** The command `flagmeter` from its sources. */
export const PROGRAM = path.join(ROOT, 'services/cli/main.ts');

/** The folder of the programs that benchmarks measure and `make test` starts. */
export const COMPILED = path.join(ROOT, '.local/compiled');

/** For NODE_COMPILE_CACHE: to load the tests takes half of the CPU, and a service that starts again a tenth less. */
export const CODE_CACHE = path.join(ROOT, '.local/code-cache');

/** Tests of the console load the app of the admin service. Preloads are loaded into services. */
const PROGRAMS = [
  'services/**/main.ts',
  'services/admin/app.ts',
  'tools/bench/servers/*.ts',
  'test/support/stack/preloads/*.ts',
];

/**
 * Libraries that stay outside, so that all code uses one copy of them: preloads replace functions of the first two, and
 * `record-group` reads files of kafkajs. `pg` looks for pg-native, which nobody has installed.
 */
const NOT_BUNDLED = ['kafkajs', '@clickhouse/client', 'pg-native'];

/**
 * Bundles the services with their libraries. A process of one file per module, as in production, takes twice the CPU until
 * it is ready, and through tsx four times. tsx also wraps every function to keep its name. The output is not `dist`,
 * because a user may need the `dist` that they built.
 */
export async function compile(): Promise<void> {
  await Promise.all([
    bundlePrograms(),
    buildConsole(path.join(COMPILED, 'dist/console')),
    buildSite(path.join(COMPILED, 'dist/help'), { form: 'package' }),
  ]);
  const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  await writeFile(path.join(COMPILED, 'package.json'), JSON.stringify({ version, type: 'module' }));
  // The programs look for migrations beside package.json.
  const migrations = path.join(COMPILED, 'infra/migrations');
  await mkdir(path.dirname(migrations), { recursive: true });
  if (!existsSync(migrations)) await symlink(path.join(ROOT, 'infra/migrations'), migrations);
}

async function bundlePrograms(): Promise<void> {
  const chunks = path.join(COMPILED, 'services/chunks');
  await rm(chunks, { recursive: true, force: true }); // of earlier versions
  await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS,
    outdir: COMPILED,
    outbase: ROOT,
    // Shared modules lie as deep as services, because a service looks for the others beside it.
    chunkNames: 'services/chunks/[hash]',
    bundle: true,
    splitting: true,
    sourcemap: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['flagmeter-source'],
    external: NOT_BUNDLED,
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
}

/** For the libraries that are CommonJS modules. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

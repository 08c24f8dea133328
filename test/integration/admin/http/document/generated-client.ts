import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../../../..');

const COMPILER = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  allowImportingTsExtensions: true,
};

const LINTER = {
  plugins: ['typescript'],
  options: { typeAware: true },
  categories: { correctness: 'off' },
  rules: {
    'typescript/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
  },
};

/**
 * A program that uses a client generated from a document, like a user of the API. Its folder is new, and outside of the
 * repository, because the linter skips what git ignores.
 */
export async function generateClient(document: object, program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flagmeter-client-'));
  const input = join(folder, 'openapi.json');
  await writeFile(input, JSON.stringify(document));
  // It can only be imported, and mocha loads tests with require.
  const { createClient } = await import('@hey-api/openapi-ts');
  await createClient({
    input,
    output: join(folder, 'client'),
    logs: { level: 'silent', file: false },
  });
  const file = join(folder, basename(program));
  await copyFile(join(ROOT, program), file);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER, include: ['.'] }),
  );
  return file;
}

/** The errors of tsc for the program and the client; empty if there are none. */
export function compileClient(file: string): Promise<string> {
  return errorsOf('tsc', ['--project', dirname(file)]);
}

/** The places where the program needs `any` or a cast. Values of the client with the type `any` count too. */
export async function findUnsafe(file: string): Promise<string> {
  const config = join(dirname(file), '.oxlintrc.json');
  await writeFile(config, JSON.stringify(LINTER));
  return errorsOf('oxlint', ['--config', config, '--format', 'unix', file]);
}

/** The output of a program of npm; empty if it finds no errors. */
async function errorsOf(program: string, args: readonly string[]): Promise<string> {
  try {
    await run(join(ROOT, 'node_modules/.bin', program), [...args]);
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout; // of a program that ran and failed
  }
}

/** The output lines of a program; rejects if it fails. */
export async function runProgram(file: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const { stdout } = await run(process.execPath, ['--import=tsx', file], {
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return stdout.trimEnd().split('\n');
}

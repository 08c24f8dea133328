import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../../..');
const DIRECTORY = join(ROOT, '.local/generated-client');

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

/** A program that uses a client generated from a document, like a user of the API. */
export async function generateClient(document: object, program: string): Promise<string> {
  await rm(DIRECTORY, { recursive: true, force: true });
  await mkdir(DIRECTORY, { recursive: true });
  const input = join(DIRECTORY, 'openapi.json');
  await writeFile(input, JSON.stringify(document));
  // It can only be imported, and mocha loads tests with require.
  const { createClient } = await import('@hey-api/openapi-ts');
  await createClient({
    input,
    output: join(DIRECTORY, 'client'),
    logs: { level: 'silent', file: false },
  });
  const file = join(DIRECTORY, basename(program));
  await copyFile(join(ROOT, program), file);
  await writeFile(join(DIRECTORY, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(DIRECTORY, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER, include: ['.'] }),
  );
  return file;
}

/** The errors of tsc for the program and the client; empty if there are none. */
export async function compileClient(): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  try {
    await run(process.execPath, [tsc, '--project', DIRECTORY]);
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout; // of a program that ran and failed
  }
}

/** The places where the program needs `any` or a cast. Values of the client with the type `any` count too. */
export async function findUnsafe(file: string): Promise<string[]> {
  const eslint = new ESLint({
    cwd: DIRECTORY,
    overrideConfigFile: true,
    overrideConfig: [
      ...tseslint.configs.recommendedTypeCheckedOnly,
      {
        languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: DIRECTORY } },
        rules: {
          '@typescript-eslint/no-explicit-any': 'error',
          '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
          '@typescript-eslint/no-non-null-assertion': 'error',
        },
      },
    ],
  });
  const results = await eslint.lintFiles([file]);
  return results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`));
}

/** The output lines of a program; rejects if it fails. */
export async function runProgram(file: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const { stdout } = await run(process.execPath, ['--import=tsx', file], {
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return stdout.trimEnd().split('\n');
}

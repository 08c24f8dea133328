import path from 'node:path';
import { expect } from 'chai';
import { ESLint } from 'eslint';
import ts from 'typescript';

/** Code that leaves a rejection without a handler. One of these forms ended a service at each scrape. */
const DROPPED = {
  'a handler that may throw': `
    export function waitFor(expiry: Promise<void>, ignoreAbort: (error: unknown) => void): void {
      expiry.catch(ignoreAbort);
    }`,
  'a stored promise that only throws': `
    export async function race(work: Promise<void>, timer: Promise<void>): Promise<void> {
      const expiry = timer.then(() => { throw new Error('late'); });
      await Promise.race([work, expiry]);
    }`,
  'a dropped finally': `
    export function release(work: Promise<void>, onEnd: () => void): void {
      void work.finally(onEnd);
    }`,
  'a voided promise': `
    export function start(work: () => Promise<void>): void {
      void work();
    }`,
  'a stored race': `
    export function first(one: Promise<void>, other: Promise<void>): { ready: Promise<void> } {
      return { ready: Promise.race([one, other]) };
    }`,
  'an asynchronous callback of a timer': `
    export function repeat(work: () => Promise<void>): void {
      setInterval(async () => { await work(); }, 1000);
    }`,
};

const HANDLED = {
  'a promise that is awaited, or handed to inBackground': `
    import { inBackground } from './packages/runtime/waiting/background.ts';
    export async function both(one: Promise<void>, other: Promise<void>): Promise<void> {
      inBackground(other, () => undefined);
      await Promise.race([one, other]);
    }`,
};

describe('the lint', () => {
  const files = new Map(
    Object.entries({ ...DROPPED, ...HANDLED }).map(([shape, code]) => [fileOf(shape), code]),
  );
  let eslint: ESLint;

  before('read the types', () => {
    const parserOptions = { projectService: false, programs: [programOf(files)] };
    eslint = new ESLint({ overrideConfig: { languageOptions: { parserOptions } } });
  });

  for (const shape of Object.keys(DROPPED)) {
    it(`reports ${shape}`, async () => {
      expect((await errorsOf(shape)).join()).to.match(
        /floating-promises|misused-promises|no-restricted-syntax/,
      );
    });
  }

  for (const shape of Object.keys(HANDLED)) {
    it(`reports nothing in ${shape}`, async () => {
      expect(await errorsOf(shape)).to.deep.equal([]);
    });
  }

  async function errorsOf(shape: string): Promise<string[]> {
    const filePath = fileOf(shape);
    const [result] = await eslint.lintText(files.get(filePath) ?? '', { filePath });
    return (result?.messages ?? []).map(({ ruleId, message }) => `${ruleId ?? 'parser'}: ${message}`);
  }
});

function fileOf(shape: string): string {
  return path.resolve(`${shape}.ts`);
}

/**
 * Lints these files, which are not on the disk, together with their imports. The project service would read the types
 * of the whole project.
 */
function programOf(files: ReadonlyMap<string, string>): ts.Program {
  const onUnRecoverableConfigFileDiagnostic = (): void => undefined;
  const config = ts.getParsedCommandLineOfConfigFile(
    'tsconfig.json',
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic },
  );
  const options = config?.options ?? {};
  const host = ts.createCompilerHost(options, true);
  host.fileExists = (file) => files.has(file) || ts.sys.fileExists(file);
  host.readFile = (file) => files.get(file) ?? ts.sys.readFile(file);
  return ts.createProgram([...files.keys()], options, host);
}

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

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
  'an assigned promise': `
    export function keep(work: Promise<void>, state: { ending?: Promise<void> }): void {
      state.ending = work.catch(() => undefined);
    }`,
  'a promise in a property': `
    export function ending(work: Promise<void>): { end: Promise<void> } {
      return { end: work.then(() => undefined) };
    }`,
  'a dropped finally': `
    export function release(work: Promise<void>, onEnd: () => void): void {
      void work.finally(onEnd);
    }`,
  'a finally that is awaited': `
    export async function release(work: Promise<void>, onEnd: () => void): Promise<void> {
      await work.finally(onEnd);
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

const SPREAD = {
  'an object literal that is spread': `export const both = { one: 1, ...{ two: 2, three: 3 } };`,
  'a list literal that is spread': `export const both = [1, ...[2, 3]];`,
};

const HANDLED = {
  'a promise that is awaited, or handed to inBackground': `
    import { inBackground } from '${path.resolve('packages/base/runtime/waiting/background.ts')}';
    export async function both(one: Promise<void>, other: Promise<void>): Promise<void> {
      inBackground(other, () => undefined);
      await Promise.race([one, other]);
    }`,
};

describe('the lint', () => {
  let errors: ReadonlyMap<string, readonly string[]>;

  before(async () => {
    errors = await lint({
      ...DROPPED,
      ...SPREAD,
      ...HANDLED,
      'a wrong type': `export const port: number = '4242';`,
    });
  });

  for (const shape of Object.keys(DROPPED)) {
    it(`reports ${shape}`, () => {
      expect(errors.get(shape)?.join()).to.match(/no-floating-promises|no-misused-promises|no-dropped/);
    });
  }

  for (const shape of Object.keys(SPREAD)) {
    it(`reports ${shape}`, () => {
      expect(errors.get(shape)).to.deep.equal(['spreads(no-literal)']);
    });
  }

  for (const shape of Object.keys(HANDLED)) {
    it(`reports nothing in ${shape}`, () => {
      expect(errors.get(shape)).to.deep.equal([]);
    });
  }

  it('reports a wrong type', () => {
    expect(errors.get('a wrong type')).to.deep.equal(['typescript(TS2322)']);
  });
});

/** The rules that each file breaks, by its name. The linter ignores .local, so the files are outside. */
async function lint(
  files: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'flagmeter-lint-'));
  const write = (name: string, text: string): void => {
    writeFileSync(path.join(folder, name), text);
  };
  try {
    write('package.json', '{ "type": "module" }');
    write(
      'tsconfig.json',
      JSON.stringify({
        extends: path.resolve('tsconfig.json'),
        compilerOptions: {
          rootDir: '/',
          typeRoots: [path.resolve('node_modules/@types')],
          rewriteRelativeImportExtensions: false,
          allowImportingTsExtensions: true,
        },
        include: ['.'],
      }),
    );
    for (const [name, code] of Object.entries(files)) write(`${name}.ts`, code);
    const output = await outputOf('node_modules/.bin/oxlint', ['--format=json', folder]);
    const { diagnostics } = JSON.parse(output) as {
      readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
    };
    const rulesOf = (name: string): string[] =>
      diagnostics.filter(({ filename }) => path.basename(filename) === `${name}.ts`).map(({ code }) => code);
    return new Map(Object.keys(files).map((name) => [name, rulesOf(name)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The output of a program that reports errors with its exit code. */
function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, (_error, stdout) => {
      resolve(stdout);
    });
  });
}

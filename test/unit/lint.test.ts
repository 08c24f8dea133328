import { expect } from 'chai';
import { ESLint } from 'eslint';

/** Not there, so that the types of this one file are read, and not those of the whole project. */
const FILE = 'shape.ts';

/** Shapes that leave a rejection to nobody, of which one ended a service at each scrape. */
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

describe('the lint', () => {
  const parserOptions = { projectService: { allowDefaultProject: [FILE] } };
  const eslint = new ESLint({ overrideConfig: { languageOptions: { parserOptions } } });

  for (const [shape, code] of Object.entries(DROPPED)) {
    it(`finds ${shape}`, async () => {
      expect((await errorsOf(code)).join()).to.match(
        /floating-promises|misused-promises|no-restricted-syntax/,
      );
    });
  }

  it('finds nothing in a promise that is awaited, or handed to inBackground', async () => {
    const code = `
      import { inBackground } from './packages/runtime/background.ts';
      export async function both(one: Promise<void>, other: Promise<void>): Promise<void> {
        inBackground(other, () => undefined);
        await Promise.race([one, other]);
      }`;
    expect(await errorsOf(code)).to.deep.equal([]);
  });

  async function errorsOf(code: string): Promise<string[]> {
    const [result] = await eslint.lintText(code, { filePath: FILE });
    return (result?.messages ?? []).map(({ ruleId, message }) => `${ruleId ?? 'parser'}: ${message}`);
  }
});

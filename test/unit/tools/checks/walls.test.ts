import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { cruise } from 'dependency-cruiser';
import type { Part } from '../../../../tools/checks/parts/define-part.ts';
import { PARTS } from '../../../../tools/checks/parts/parts.ts';
import { CRUISE_OPTIONS, createRules } from '../../../../tools/checks/rules.ts';

const LIBRARIES = [...new Set([...PARTS.flatMap(({ libraries }) => libraries), 'chai'])];
const BUILTINS = [...new Set([...PARTS.flatMap(({ builtins = [] }) => builtins), 'fs'])];
const FOLDERS = PARTS.filter(({ name }) => !name.includes('*'));
const doorOf = ({ name }: Part) => `${name}/index.ts`;
const insideOf = ({ name }: Part) =>
  name.includes('*') ? `${name.replace('*', 'events')}.ts` : `${name}/inside.ts`;
const FILES = [...FOLDERS.map(doorOf), ...PARTS.map(insideOf), 'tools/run/start.ts', 'test/support/world.ts'];

/**
 * Every part imports everything: each other part by its entry file and by another file, each library, and Node
 * modules.
 */
describe('the walls', () => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'walls-')));
  let broken: Set<string>;

  before(async () => {
    for (const library of LIBRARIES) {
      write(`node_modules/${library}/package.json`, JSON.stringify({ name: library, main: 'dist/index.js' }));
      write(`node_modules/${library}/dist/index.js`, '');
    }
    for (const file of FILES) write(file, '');
    for (const part of PARTS)
      write(
        insideOf(part),
        targetsOf(part)
          .map(({ specifier }) => `import '${specifier}';\n`)
          .join(''),
      );
    broken = await readBreaches(root);
  });
  after(() => {
    rmSync(root, { recursive: true });
  });

  for (const part of PARTS) {
    it(`let ${part.name} import what its row allows`, () => {
      const allowed = targetsOf(part).filter(({ isAllowed }) => isAllowed);
      expect(allowed.filter(({ target }) => broken.has(`${insideOf(part)} -> ${target}`))).to.deep.equal([]);
    });

    it(`forbid ${part.name} everything else`, () => {
      const forbidden = targetsOf(part).filter(({ isAllowed }) => !isAllowed);
      expect(forbidden.length).to.be.greaterThan(0);
      expect(forbidden.filter(({ target }) => !broken.has(`${insideOf(part)} -> ${target}`))).to.deep.equal(
        [],
      );
    });
  }

  it('allow one importer of each client', () => {
    const importers = (library: string) =>
      PARTS.filter(({ libraries }) => libraries.includes(library)).map(({ name }) => name);
    expect(['kafkajs', 'pg', '@clickhouse/client', 'ioredis'].map(importers)).to.deep.equal([
      ['packages/core/kafka'],
      // The stack creates the roles of its own server as superuser.
      ['packages/base/postgres', 'packages/tooling/stack'],
      ['packages/core/clickhouse'],
      ['packages/base/auth'],
    ]);
  });

  function write(file: string, text: string): void {
    const absolute = path.join(root, file);
    mkdirSync(path.dirname(absolute), { recursive: true });
    writeFileSync(absolute, text);
  }
});

type Target = { readonly target: string; readonly specifier: string; readonly isAllowed: boolean };

function targetsOf(part: Part): Target[] {
  const { path: files, own = [files], imports, libraries, builtins } = part;
  const from = insideOf(part);
  // Every file of a part without an index.ts is an entry file.
  const doors = PARTS.filter(({ name }) => imports.includes(name)).map((other) =>
    FOLDERS.includes(other) ? doorOf(other) : insideOf(other),
  );
  return [
    ...FILES.filter((target) => target !== from).map((target) => ({
      target,
      specifier: relative(from, target),
      isAllowed: doors.includes(target) || own.some((path) => new RegExp(path).test(target)),
    })),
    ...LIBRARIES.map((library) => ({
      target: `node_modules/${library}/dist/index.js`,
      specifier: library,
      isAllowed: libraries.includes(library),
    })),
    ...BUILTINS.map((module) => ({
      target: module,
      specifier: `node:${module}`,
      isAllowed: builtins === undefined || builtins.includes(module),
    })),
  ];
}

function relative(from: string, to: string): string {
  const found = path.relative(path.dirname(from), to);
  return found.startsWith('.') ? found : `./${found}`;
}

/** The imports that a wall forbids, as `from -> to`. */
async function readBreaches(root: string): Promise<Set<string>> {
  const walls = createRules().filter(({ name }) => PARTS.some((part) => part.name === name));
  const { output } = await cruise(['packages', 'services'], {
    ...CRUISE_OPTIONS,
    baseDir: root,
    ruleSet: { forbidden: walls },
  });
  if (typeof output === 'string') throw new Error(output);
  return new Set(output.summary.violations.map(({ from, to }) => `${from} -> ${to}`));
}

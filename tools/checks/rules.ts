import type { ICruiseOptions, IForbiddenRuleType, IRegularForbiddenRuleType } from 'dependency-cruiser';
import type { Part } from './parts/define-part.ts';
import { PARTS } from './parts/parts.ts';

/** The rules of the checker, generated from the list of parts: one wall for each part, and two rules for all. */
export function createRules(): IForbiddenRuleType[] {
  return [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...PARTS.flatMap(createWalls),
  ];
}

export const CRUISE_OPTIONS: ICruiseOptions = {
  validate: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '^(dist|\\.local)/' },
  tsPreCompilationDeps: true,
  enhancedResolveOptions: {
    conditionNames: ['flagmeter-source', 'import', 'node', 'default'],
    exportsFields: ['exports'],
  },
};

function createWalls(part: Part): IRegularForbiddenRuleType[] {
  const { name, path, own = [path], imports, libraries, builtins } = part;
  const from = { path, pathNot: partsInside(part) };
  const allowed = [
    ...own,
    ...imports.map((other) => doorsOf(partOf(other))),
    ...libraries.map(pathOfLibrary),
  ];
  const modules: IRegularForbiddenRuleType = {
    name,
    severity: 'error',
    from,
    to: { dependencyTypesNot: ['core'], pathNot: allowed },
  };
  if (builtins === undefined) return [modules];
  const ofNode = builtins.length === 0 ? {} : { pathNot: `^(node:)?(${builtins.join('|')})$` };
  return [modules, { name, severity: 'error', from, to: { dependencyTypes: ['core'], ...ofNode } }];
}

/** Paths of the parts that have their own rows inside another part. */
function partsInside({ name }: Part): string[] {
  return PARTS.filter((other) => other.name.startsWith(`${name}/`)).map(({ path }) => path);
}

/** The part to which a file belongs. */
export function partOfFile(file: string): Part | undefined {
  return PARTS.find(
    (part) =>
      new RegExp(part.path).test(file) && !partsInside(part).some((path) => new RegExp(path).test(file)),
  );
}

export function partOf(name: string): Part {
  const part = PARTS.find((other) => other.name === name);
  if (part === undefined) throw new Error(`there is no part ${name}`);
  return part;
}

export function doorsOf({ name, doors = `^${name}/index\\.ts$` }: Part): string {
  return doors;
}

export function pathOfLibrary(library: string): string {
  return `^node_modules/(@types/)?${library}/`;
}

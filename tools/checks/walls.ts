import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { type IModule, cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { folderCircles } from './folder-circles.ts';
import { largeFolders, unusedExceptions } from './folder-sizes.ts';
import { AREAS } from './parts/define-part.ts';
import { PARTS } from './parts/parts.ts';
import { CRUISE_OPTIONS, createRules, doorsOf, partOf, partOfFile, pathOfLibrary } from './rules.ts';
import { contradictions } from './words.ts';

/** It runs tests on broken code, so it is the only tool that imports tests. */
const MUTANTS = 'tools/mutants/';
const GLOSSARY = 'docs/develop/glossary.md';
const WRITTEN = /\.(?:ts|tsx|mjs|js|sql|md|csv|ya?ml|json|xml|sh|css|html|txt|tpl)$/;

/**
 * Checks the imports between parts (`parts/`), that folders beside each other form no circle, that each row allows only what is used,
 * the sizes of folders, and the words. A cruise that reads no modules reports success, so this script also counts them.
 */
await check();

async function check(): Promise<void> {
  const { output } = await cruise(
    ['packages', 'services', 'tools', 'test'],
    { ...CRUISE_OPTIONS, ruleSet: { forbidden: createRules() }, tsConfig: { fileName: 'tsconfig.json' } },
    undefined,
    { tsConfig: extractTSConfig('tsconfig.json') },
  );
  if (typeof output === 'string') throw new Error(output);
  const { violations, totalCruised } = output.summary;
  const files = repositoryFiles();
  const problems = [
    ...violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
    ...folderCircles(output.modules.filter(({ source }) => !source.startsWith(MUTANTS))),
    ...foldersWithoutWalls(),
    ...rowsBesideTheirArea(),
    ...unusedOf(output.modules),
    ...largeFolders(files),
    ...unusedExceptions(files),
    ...contradictions(fileOf(GLOSSARY), files.filter(isWritten).map(fileOf)),
  ];
  for (const problem of problems) console.error(problem);
  console.log(`${totalCruised} modules and dependencies cruised, ${problems.length} walls broken`);
  if (problems.length > 0 || totalCruised < 50) process.exitCode = 1;
}

function fileOf(path: string) {
  return { path, text: readFileSync(path, 'utf8') };
}

function repositoryFiles(): string[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  return files.split('\n').filter((path) => existsSync(path));
}

/** Whether people wrote it. */
function isWritten(path: string): boolean {
  return WRITTEN.test(path) && !path.endsWith('package-lock.json');
}

function foldersWithoutWalls(): string[] {
  const inside = (folder: string) => readdirSync(folder).map((name) => `${folder}/${name}`);
  return [...inside('packages').flatMap(inside), ...inside('services')]
    .filter((name) => !PARTS.some((part) => part.name === name))
    .map((name) => `${name} has no row in tools/checks/parts`);
}

/** Rows of packages that may import a package of an area above their own. */
function rowsBesideTheirArea(): string[] {
  const areas = Object.keys(AREAS) as (keyof typeof AREAS)[]; // a literal has no other keys
  const areaOf = (name: string) => areas.find((area) => name.startsWith(`packages/${area}/`));
  return PARTS.flatMap(({ name, imports }) => {
    const own = areaOf(name);
    if (own === undefined) return [];
    const allowed: readonly (string | undefined)[] = [own, ...AREAS[own]];
    return imports
      .filter((other) => !allowed.includes(areaOf(other)))
      .map(
        (other) => `${name} may not import ${other}: ${own} may use ${AREAS[own].join(', ') || 'nothing'}`,
      );
  });
}

/** Imports that a row allows but no file uses. */
function unusedOf(modules: readonly IModule[]): string[] {
  const imported = new Map<string, string[]>(PARTS.map(({ name }) => [name, []]));
  for (const { source, dependencies } of modules)
    imported.get(partOfFile(source)?.name ?? '')?.push(...dependencies.map(({ resolved }) => resolved));
  return PARTS.flatMap(({ name, imports, libraries, builtins = [] }) => {
    const allowed: [string, string][] = [
      ...imports.map((other) => [other, doorsOf(partOf(other))] as [string, string]),
      ...libraries.map((library) => [library, pathOfLibrary(library)] as [string, string]),
      ...builtins.map((module) => [`node:${module}`, `^(node:)?${module}$`] as [string, string]),
    ];
    return allowed
      .filter(([, path]) => !imported.get(name)?.some((file) => new RegExp(path).test(file)))
      .map(([other]) => `${name} may import ${other}, but no file in it does`);
  });
}

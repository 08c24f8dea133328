/** A part of the program, and what it may import. */
export type Part = {
  /** The name in the table. Packages and services are named after their folders. */
  readonly name: string;
  /** Regular expression for its files. */
  readonly path: string;
  /** Files of its folder that it may import; by default all of its own. */
  readonly own?: readonly string[];
  /** Entry files, by which other parts import it; by default index.ts. */
  readonly doors?: string;
  /** Names of other parts. */
  readonly imports: readonly string[];
  /** npm packages. */
  readonly libraries: readonly string[];
  /** Node modules; by default any. */
  readonly builtins?: readonly string[];
  readonly holds: string;
};

type Wall = Omit<Part, 'name' | 'path'>;

/** The areas of `packages`, and those whose packages each may import beside its own. */
export const AREAS = {
  base: [],
  core: ['base'],
  unleash: ['base', 'core'],
  fleet: ['base', 'core'],
  tooling: ['base', 'core', 'unleash', 'fleet'],
} as const satisfies Record<string, readonly string[]>;

export type Area = keyof typeof AREAS;

export const packageOf = (name: `${Area}/${string}`, wall: Wall): Part => ({
  name: `packages/${name}`,
  path: `^packages/${name}/`,
  ...wall,
});
export const serviceOf = (name: string, wall: Wall): Part => ({
  name: `services/${name}`,
  path: `^services/${name}/`,
  ...wall,
});

/** The names of packages, given by area. */
export const packages = (names: Readonly<Partial<Record<Area, readonly string[]>>>): string[] =>
  Object.entries(names).flatMap(([area, ofArea]) => ofArea.map((name) => `packages/${area}/${name}`));

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

export const packageOf = (name: string, wall: Wall): Part => ({
  name: `packages/${name}`,
  path: `^packages/${name}/`,
  ...wall,
});
export const serviceOf = (name: string, wall: Wall): Part => ({
  name: `services/${name}`,
  path: `^services/${name}/`,
  ...wall,
});
export const packages = (...names: string[]) => names.map((name) => `packages/${name}`);

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Plugin, build } from 'esbuild';
import { type Defect, textWith } from '../defects/defect.ts';

/** Below the root, because the bundle imports what is in `node_modules`. */
const FOLDER = path.resolve('.local/simulation');

/** Clients and servers that a world replaces. To load them would take half of the start of a process. */
const UNUSED = new Set(['pg', 'ioredis', 'koa', 'httpxy']);

type Program = {
  /** A path below the present folder, which may be a copy of the sources. */
  readonly entry: string;
  readonly defect?: Defect | undefined;
};

/** Bundles a program, and removes the bundle after the work. */
export async function withBundle<T>(program: Program, work: (file: string) => Promise<T>): Promise<T> {
  await mkdir(FOLDER, { recursive: true });
  const folder = await mkdtemp(`${FOLDER}/`);
  const file = path.join(folder, 'program.mjs');
  try {
    await bundle(program, file);
    return await work(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Bundles a program with the code that it runs. Through tsx each process would need two more seconds of CPU, and tsx wraps every
 * function to keep its name.
 */
export async function bundle({ entry, defect }: Program, file: string): Promise<void> {
  await build({
    entryPoints: [path.resolve(entry)],
    outfile: path.resolve(file),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['flagmeter-source'],
    plugins: [leaveOut(UNUSED), ...(defect === undefined ? [] : [bringBack(defect)])],
    logLevel: 'warning',
  });
}

/** Replaces packages by something that throws when it is used. */
function leaveOut(packages: ReadonlySet<string>): Plugin {
  return {
    name: 'unused',
    setup(building) {
      building.onResolve({ filter: /^[a-z]+$/ }, ({ path: name }) =>
        packages.has(name) ? { path: name, namespace: 'unused' } : undefined,
      );
      building.onLoad({ filter: /^/, namespace: 'unused' }, ({ path: name }) => ({
        contents: `const get = (_, key) => { if (key !== '__esModule') throw new Error('no world uses ${name}'); };
          module.exports = new Proxy({}, { get });`,
      }));
    },
  };
}

/** Changes the file of the defect while it is read. */
function bringBack(defect: Defect): Plugin {
  return {
    name: 'defect',
    setup(building) {
      const filter = new RegExp(`/${defect.file.replaceAll('.', String.raw`\.`)}$`);
      building.onLoad({ filter }, () => ({ contents: textWith(defect), loader: 'ts' }));
    },
  };
}

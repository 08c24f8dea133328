import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Metafile, type Plugin, build } from 'esbuild';
import * as limits from '../../services/console/ui/dialogs/limits.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCE = path.join(ROOT, 'services/console');
const LIBRARIES = ['preact', '@preact/signals', '@preact/signals-core', 'uplot'];

/**
 * Bundles the console into a folder: `index.html`, one stylesheet and some scripts with hashed names, all also compressed
 * as `.br` and `.gz`. The pages that no one sees first are in a separate script. A service that starts at the same time
 * finds the console of the build before or this one, never a part of it.
 */
export async function buildConsole(folder: string): Promise<void> {
  const licences = await readLicences();
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(SOURCE, 'main.tsx'), path.join(SOURCE, 'styles/main.css')],
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    metafile: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['flagmeter-source'],
    banner: { js: `/*! ${licences.name} */` },
    plugins: [limitsPlugin],
    logLevel: 'warning',
  });
  const files: Output[] = [
    ...outputFiles.map(({ path: file, contents }) => ({ name: path.basename(file), contents })),
    licences,
  ];
  const page = await readFile(path.join(SOURCE, 'index.html'), 'utf8');
  const script = nameOf(files, '.js');
  const html = page
    .replace('<script', `${preloadsOf(metafile, script)}<script`)
    .replace('main.js', script)
    .replace('main.css', nameOf(files, '.css'));
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    const written = await Promise.all(
      files.map(({ name, contents }) => writeCompressed(path.join(unfinished, name), contents)),
    );
    await writeFile(path.join(unfinished, 'index.html'), html);
    await replaceFiles(folder, unfinished, [...written.flat(), 'index.html']);
  } finally {
    await rm(unfinished, { recursive: true });
  }
}

type Output = { readonly name: string; readonly contents: Uint8Array };

/** Moves one file after the other, in the order of `names`, and then removes the files of earlier builds. */
async function replaceFiles(folder: string, unfinished: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rename(path.join(unfinished, name), path.join(folder, name));
  const old = (await readdir(folder)).filter((name) => !names.includes(name));
  await Promise.all(old.map((name) => rm(path.join(folder, name), { force: true })));
}

/** Pages need the limits of the API's schemas, not the schemas with their descriptions and what compiles them. */
const limitsPlugin: Plugin = {
  name: 'limits',
  setup(bundler) {
    bundler.onLoad({ filter: /\/limits\.ts$/ }, () => ({
      contents: Object.entries(limits)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n'),
    }));
  },
};

/**
 * The licences of the bundled packages ask for their text in every copy. It stands in a file that each script names, because a browser
 * needs a kilobyte less then.
 */
async function readLicences(): Promise<Output> {
  const texts = LIBRARIES.map(async (name) => {
    const licence = await readFile(path.join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8');
    return `${name}\n${licence}`;
  });
  const contents = Buffer.from((await Promise.all(texts)).join('\n'));
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 8);
  return { name: `licences-${hash}.txt`, contents };
}

/** Lets the browser load what the script imports at the same time as the script. */
function preloadsOf({ outputs }: Metafile, script: string): string {
  const entry = Object.entries(outputs).find(([file]) => path.basename(file) === script);
  return (entry?.[1].imports ?? [])
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path: file }) => `<link rel="modulepreload" href="console/${path.basename(file)}" />\n    `)
    .join('');
}

function nameOf(files: readonly Output[], extension: string): string {
  const file = files.find(({ name }) => name.startsWith('main-') && name.endsWith(extension));
  if (file === undefined) throw new Error(`the console has no ${extension} file`);
  return file.name;
}

/** Returns the names of three files. The uncompressed one is last, because services look for its copies once they find it. */
async function writeCompressed(file: string, contents: Uint8Array): Promise<string[]> {
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(contents, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length } }),
    promisify(gzip)(contents, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz), writeFile(file, contents)]);
  const name = path.basename(file);
  return [`${name}.br`, `${name}.gz`, name];
}

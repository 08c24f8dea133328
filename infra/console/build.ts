import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Plugin, build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCE = path.join(ROOT, 'services/console');
const LIBRARIES = ['preact', '@preact/signals', '@preact/signals-core', 'uplot'];

/**
 * Bundles the console into a folder, which it empties first: `index.html`, one script and one stylesheet with hashed names,
 * and both also compressed as `.br` and `.gz`.
 */
export async function buildConsole(folder: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [path.join(SOURCE, 'main.tsx'), path.join(SOURCE, 'styles/main.css')],
    outdir: folder,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['source'],
    banner: { js: await readNotice() },
    plugins: [smallerPlot],
    logLevel: 'warning',
  });
  const files = outputFiles.map(({ path: file, contents }) => ({ name: path.basename(file), contents }));
  const page = await readFile(path.join(SOURCE, 'index.html'), 'utf8');
  const html = page.replace('main.js', nameOf(files, '.js')).replace('main.css', nameOf(files, '.css'));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'index.html'), html);
  await Promise.all(files.map(({ name, contents }) => writeCompressed(path.join(folder, name), contents)));
}

/** Members of uPlot that the console does not use. esbuild keeps them, because they are assigned to a function. */
const UNUSED = [
  'bars',
  'spline',
  'join',
  'assign',
  'rangeLog',
  'rangeAsinh',
  'orient',
  'addGap',
  'clipGaps',
  'fmtNum',
  'sync',
];

/** Leaves them out of the bundle: 2.3 kB of gzipped JavaScript. */
const smallerPlot: Plugin = {
  name: 'smaller-plot',
  setup(builder) {
    builder.onLoad({ filter: /uPlot\.esm\.js$/ }, async ({ path: file }) => {
      let contents = await readFile(file, 'utf8');
      for (const name of UNUSED) {
        const assignment = new RegExp(`^\\s*\\(?(?:uPlot|paths)\\.${name} +=.+;$`, 'm');
        if (!assignment.test(contents)) throw new Error(`uPlot has no member ${name} any more`);
        contents = contents.replace(assignment, '');
      }
      return { contents };
    });
  },
};

/** The licences of the bundled packages ask for their text in every copy. */
async function readNotice(): Promise<string> {
  const texts = LIBRARIES.map(async (name) => {
    const licence = await readFile(path.join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8');
    return `${name}\n${licence}`;
  });
  return `/*! ${(await Promise.all(texts)).join('\n')} */`;
}

function nameOf(files: readonly { readonly name: string }[], extension: string): string {
  const file = files.find(({ name }) => name.endsWith(extension));
  if (file === undefined) throw new Error(`the console has no ${extension} file`);
  return file.name;
}

async function writeCompressed(file: string, contents: Uint8Array): Promise<void> {
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(contents, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length } }),
    promisify(gzip)(contents, { level: 9 }),
  ]);
  await Promise.all([writeFile(file, contents), writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

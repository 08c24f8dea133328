import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Metafile, build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Modules that only name what they use of OpenTelemetry and of the SDK of the Model Context Protocol. As dependencies their packages
 * would take 28 MB and 17 MB of every installation, and most installations use neither.
 */
const LIBRARIES = ['packages/base/runtime/tracing/library', 'packages/tooling/mcp/library'];

/** Replaces these compiled modules by bundles of what they name. */
export async function bundleLibraries(folder: string): Promise<void> {
  for (const library of LIBRARIES) await bundle(library, path.join(folder, `${library}.js`));
}

async function bundle(library: string, file: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`${library}.ts`],
    outfile: file,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    banner: { js: '// Bundled by tools/package/libraries.ts. The licences are in library.js.LICENSE.txt.' },
    logLevel: 'warning',
  });
  await writeFile(`${file}.LICENSE.txt`, await readLicences(metafile));
}

/** The licences of the bundled packages ask for their text in every copy. */
async function readLicences({ inputs }: Metafile): Promise<string> {
  const folders = Object.keys(inputs).flatMap(
    (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? [],
  );
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const about = JSON.parse(await readFile(path.join(ROOT, folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
    };
    return `${about.name} ${about.version}\n\n${await readFile(path.join(ROOT, folder, 'LICENSE'), 'utf8')}`;
  });
  return (await Promise.all(texts)).join('\n\n');
}

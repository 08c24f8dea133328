import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './programs.ts';

type Definition = {
  readonly type?: string | readonly string[];
  readonly properties?: object;
  readonly additionalProperties?: unknown;
  readonly 'x-kubernetes-group-version-kind'?: readonly Kind[];
};
type Kind = { readonly group: string; readonly version: string; readonly kind: string };
type Definitions = Readonly<Record<string, Definition>>;

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const REFERENCE = /"#\/definitions\/([^"]+)"/g;

/**
 * The folder with a strict JSON schema of each kind of Kubernetes, as kubeconform expects it. The first call makes them from the
 * API description in the Go module of Kubernetes.
 */
export async function kubernetesSchemas(version: string): Promise<string> {
  const folder = join('.local', `kubernetes-schemas-${version}`);
  if (existsSync(folder)) return folder;
  const module: unknown = JSON.parse(
    run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`]),
  );
  const definitions = await readDefinitions(module);
  const unfinished = `${folder}-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { group, version: of, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
      const [shortGroup = ''] = group.split('.');
      const file = [kind, shortGroup, of].filter((part) => part !== '').join('-');
      const schema = { $ref: `#/definitions/${name}`, definitions: usedBy(name, definitions) };
      await writeFile(join(unfinished, `${file.toLowerCase()}.json`), JSON.stringify(schema));
    }
  }
  await rename(unfinished, folder);
  return folder;
}

async function readDefinitions(module: unknown): Promise<Definitions> {
  const { Dir } = module as { Dir: string }; // the documented answer of go mod download
  const swagger = await readFile(join(Dir, 'api/openapi-spec/swagger.json'), 'utf8');
  const { definitions } = JSON.parse(swagger) as { definitions: Definitions };
  const strict = Object.entries(definitions).map(([name, definition]): [string, Definition] => [
    name,
    'properties' in definition ? { additionalProperties: false, ...definition } : definition,
  ]);
  // The API description calls these strings, but both may be numbers.
  const numberOrString = { type: ['string', 'number'] };
  return { ...Object.fromEntries(strict), [QUANTITY]: numberOrString, [INT_OR_STRING]: numberOrString };
}

/** The definition and all that it refers to. */
function usedBy(name: string, definitions: Definitions, found: Record<string, Definition> = {}): Definitions {
  const definition = definitions[name];
  if (definition === undefined || name in found) return found;
  found[name] = definition;
  for (const [, other = ''] of JSON.stringify(definition).matchAll(REFERENCE))
    usedBy(other, definitions, found);
  return found;
}

import { type Api, type KubernetesObject, listOf } from './api.ts';

/** The kinds that the server knows, and where their objects are. */
export type Resources = {
  /** The path of all objects of this kind in a namespace. */
  pathOf(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>, namespace: string): string;
  /** Names such as `services/flagmeter-ingest` of everything in the namespace, except events. */
  everythingIn(namespace: string): Promise<readonly string[]>;
};

type Resource = {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
};
type Located = Resource & { readonly apiVersion: string };

/** Asks the server once. */
export async function readResources(api: Api): Promise<Resources> {
  const { groups } = (await api.call('GET', '/apis')) as {
    groups: readonly { preferredVersion: { groupVersion: string } }[];
  };
  const versions = ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
  const all = (await Promise.all(versions.map((version) => resourcesOf(api, version)))).flat();
  const located = all.filter(({ name, namespaced }) => namespaced && !name.includes('/'));
  const listed = located.filter(({ name, verbs }) => verbs.includes('list') && name !== 'events');
  return {
    pathOf: ({ apiVersion, kind }, namespace) => {
      const found = located.find((resource) => resource.apiVersion === apiVersion && resource.kind === kind);
      if (found === undefined) throw new Error(`the server has no ${apiVersion} ${kind}`);
      return pathOf(found, namespace);
    },
    everythingIn: async (namespace) => {
      const lists = listed.map(async (resource) => {
        const objects = await listOf(api, pathOf(resource, namespace));
        return objects.map(({ metadata }) => `${resource.name}/${metadata.name}`);
      });
      return (await Promise.all(lists)).flat().sort();
    },
  };
}

async function resourcesOf(api: Api, apiVersion: string): Promise<readonly Located[]> {
  const { resources } = (await api.call('GET', rootOf(apiVersion))) as { resources: readonly Resource[] };
  return resources.map((resource) => ({ ...resource, apiVersion }));
}

function pathOf({ apiVersion, name }: Located, namespace: string): string {
  return `${rootOf(apiVersion)}/namespaces/${namespace}/${name}`;
}

function rootOf(apiVersion: string): string {
  return apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
}

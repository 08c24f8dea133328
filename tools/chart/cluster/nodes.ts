import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, type KubernetesObject, listOf } from './api.ts';

type Pod = KubernetesObject & {
  readonly metadata: { readonly namespace: string; readonly deletionTimestamp?: string };
  readonly spec: {
    readonly restartPolicy: string;
    readonly containers: readonly Container[];
    readonly volumes?: readonly Volume[];
  };
  readonly status: { readonly phase: string };
};
type Container = {
  readonly name: string;
  readonly image: string;
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
};
type Volume = {
  readonly secret?: { readonly secretName: string };
  readonly projected?: {
    readonly sources: readonly {
      readonly secret?: { readonly name: string; readonly items: readonly { readonly key: string }[] };
    }[];
  };
};
type Needed = { readonly path: string; readonly keys: readonly string[] };

const NODE = 'stand-in';

/**
 * Stands in for a scheduler and a node, until the signal. Reports each pod as running and ready, or as succeeded if it belongs to
 * a job, once all ConfigMaps and keys of Secrets exist that the pod names. A kubelet waits for them in the same way. No
 * container runs.
 */
export async function runNodes(api: Api, signal: AbortSignal): Promise<void> {
  await api.call('POST', '/api/v1/nodes', { metadata: { name: NODE } });
  let address = 1;
  while (!signal.aborted) {
    const pods = (await listOf(api, '/api/v1/pods')) as readonly Pod[]; // the kind of the list
    for (const pod of pods) {
      if (pod.metadata.deletionTimestamp !== undefined) await remove(api, pod);
      else if (pod.status.phase === 'Pending' && (await hasAll(api, neededBy(pod)))) {
        address += 1;
        await report(api, pod, `10.0.${address >> 8}.${address & 255}`);
      }
    }
    await sleep(100);
  }
}

async function remove(api: Api, { metadata: { name, namespace } }: Pod): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  await unlessGone(api.call('DELETE', path, { gracePeriodSeconds: 0 }));
}

async function report(api: Api, pod: Pod, podIP: string): Promise<void> {
  const { name, namespace } = pod.metadata;
  const isJob = pod.spec.restartPolicy === 'Never';
  const state = isJob ? { terminated: { exitCode: 0 } } : { running: {} };
  const status = {
    phase: isJob ? 'Succeeded' : 'Running',
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: ['Ready', 'ContainersReady'].map((type) => ({ type, status: isJob ? 'False' : 'True' })),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...{ name: container.name, image: container.image, imageID: '', restartCount: 0 },
      ...{ ready: !isJob, started: !isJob, state },
    })),
  };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const target = { kind: 'Node', name: NODE };
  await unlessGone(api.call('POST', `${path}/binding`, { metadata: { name }, target }));
  await unlessGone(api.call('PATCH', `${path}/status`, { status }));
}

/** A controller may have deleted the pod since it was listed. */
async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!/: (404|409) /.test(String(error))) throw error;
  }
}

function neededBy({ metadata: { namespace }, spec: { containers, volumes = [] } }: Pod): readonly Needed[] {
  const root = `/api/v1/namespaces/${namespace}`;
  const maps = containers.flatMap(({ envFrom = [] }) =>
    envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []),
  );
  const secrets = volumes.flatMap(({ secret, projected }) => [
    ...(secret === undefined ? [] : [{ name: secret.secretName, items: [] }]),
    ...(projected?.sources ?? []).flatMap((source) => source.secret ?? []),
  ]);
  return [
    ...maps.map((name) => ({ path: `${root}/configmaps/${name}`, keys: [] })),
    ...secrets.map(({ name, items }) => ({
      path: `${root}/secrets/${name}`,
      keys: items.map(({ key }) => key),
    })),
  ];
}

async function hasAll(api: Api, needed: readonly Needed[]): Promise<boolean> {
  for (const { path, keys } of needed) {
    try {
      const { data = {} } = (await api.call('GET', path)) as { data?: Readonly<Record<string, string>> };
      if (!keys.every((key) => key in data)) return false;
    } catch (error) {
      if (String(error).includes(': 404 ')) return false;
      throw error;
    }
  }
  return true;
}

import { type Api, type KubernetesObject, listOf } from './api.ts';

type Selector = { readonly matchLabels: Readonly<Record<string, string>> };
type Deployment = KubernetesObject & {
  readonly spec: { readonly replicas: number };
  readonly status: { readonly readyReplicas?: number; readonly updatedReplicas?: number };
};
type Autoscaler = KubernetesObject & {
  readonly spec: { readonly minReplicas: number; readonly scaleTargetRef: { readonly name: string } };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};
type Budget = KubernetesObject & {
  readonly status: { readonly expectedPods: number; readonly disruptionsAllowed: number };
};
type Slice = KubernetesObject & {
  readonly endpoints: readonly { readonly conditions: { readonly ready: boolean } }[] | null;
};
type Policy = KubernetesObject & {
  readonly spec: { readonly podSelector: Selector };
};

/** What the controllers of the cluster did not do with the objects of a release; nothing once all of it works. */
export async function problemsOf(api: Api, namespace: string): Promise<readonly string[]> {
  const list = <T extends KubernetesObject>(group: string, name: string): Promise<readonly T[]> =>
    listOf(api, `/${group}/namespaces/${namespace}/${name}`) as Promise<readonly T[]>;
  const deployments = await list<Deployment>('apis/apps/v1', 'deployments');
  const autoscalers = await list<Autoscaler>('apis/autoscaling/v2', 'horizontalpodautoscalers');
  const budgets = await list<Budget>('apis/policy/v1', 'poddisruptionbudgets');
  const slices = await list<Slice>('apis/discovery.k8s.io/v1', 'endpointslices');
  const policies = await list<Policy>('apis/networking.k8s.io/v1', 'networkpolicies');
  const sizes = new Map(
    deployments.map((deployment) => [nameOf(deployment), sizeOf(deployment, autoscalers)]),
  );
  const pods = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const unmatched = policies.map(async (policy) => {
    const query = `labelSelector=${encodeURIComponent(labelsOf(policy.spec.podSelector))}`;
    const selected = await listOf(api, `/api/v1/namespaces/${namespace}/pods?${query}`);
    return selected.length > 0 ? [] : [`NetworkPolicy ${nameOf(policy)} selects no pod`];
  });
  return [
    ...(pods === 0 ? ['no pods'] : []),
    ...deployments.flatMap(({ status, ...deployment }) => {
      const size = sizes.get(nameOf(deployment)) ?? 0;
      const { readyReplicas = 0, updatedReplicas = 0 } = status;
      if (readyReplicas === size && updatedReplicas === size) return [];
      return [`Deployment ${nameOf(deployment)}: ${readyReplicas} of ${size} pods are ready`];
    }),
    ...budgets.flatMap(({ status, ...budget }) => {
      const { expectedPods, disruptionsAllowed } = status;
      if (expectedPods === sizes.get(nameOf(budget)) && disruptionsAllowed === 1) return [];
      return [`PodDisruptionBudget ${nameOf(budget)}: ${JSON.stringify(status)}`];
    }),
    ...autoscalers.flatMap(({ status, ...autoscaler }) => {
      const able = status.conditions?.find(({ type }) => type === 'AbleToScale');
      return able?.status === 'True' ? [] : [`HorizontalPodAutoscaler ${nameOf(autoscaler)} cannot scale`];
    }),
    ...slices.flatMap(({ endpoints, metadata }) => {
      const { 'kubernetes.io/service-name': service = '' } = metadata['labels'] as Record<string, string>;
      const ready = (endpoints ?? []).filter(({ conditions }) => conditions.ready).length;
      const expected = sizes.get(service) ?? pods;
      return ready === expected ? [] : [`Service ${service}: ${ready} of ${expected} pods`];
    }),
    ...(await Promise.all(unmatched)).flat(),
  ];
}

function sizeOf(deployment: Deployment, autoscalers: readonly Autoscaler[]): number {
  const scaled = autoscalers.find(({ spec }) => spec.scaleTargetRef.name === nameOf(deployment));
  return scaled?.spec.minReplicas ?? deployment.spec.replicas;
}

function labelsOf(selector: Selector): string {
  return Object.entries(selector.matchLabels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

function nameOf({ metadata }: Pick<KubernetesObject, 'metadata'>): string {
  return metadata.name;
}

import type { Api } from './api.ts';
import type { Resources } from './resources.ts';
import { untilNone } from './until-none.ts';

/** The values of the chart that name Secrets. */
export type Values = {
  readonly secrets: Readonly<Record<string, { readonly name: string; readonly key: string }>>;
  readonly tls?: { readonly enginesSecret?: string; readonly listenSecret?: string };
};

/** What Kubernetes itself creates in each namespace. */
const CREATED = ['configmaps/kube-root-ca.crt', 'serviceaccounts/default'];
/** Pods that break this standard are rejected. */
const STANDARD = { 'pod-security.kubernetes.io/enforce': 'restricted' };

/** A namespace with the Secrets that the values name, in which only pods of the standard `restricted` may run. */
export async function createNamespace(api: Api, name: string, values: Values): Promise<void> {
  await api.call('POST', '/api/v1/namespaces', { metadata: { name, labels: STANDARD } });
  await createSecrets(api, name, values);
}

export async function createSecrets(api: Api, namespace: string, values: Values): Promise<void> {
  for (const [name, keys] of secretsOf(values)) {
    const stringData = Object.fromEntries(keys.map((key) => [key, 'made up']));
    await api.call('POST', `/api/v1/namespaces/${namespace}/secrets`, { metadata: { name }, stringData });
  }
}

/** The keys of each Secret that the values name. */
export function secretsOf({ secrets, tls = {} }: Values): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, readonly string[]>();
  for (const { name, key } of Object.values(secrets)) keys.set(name, [...(keys.get(name) ?? []), key]);
  if (tls.enginesSecret !== undefined) keys.set(tls.enginesSecret, ['ca.crt', 'tls.crt', 'tls.key']);
  if (tls.listenSecret !== undefined) keys.set(tls.listenSecret, ['tls.crt', 'tls.key']);
  return keys;
}

/** Everything in the namespace once Kubernetes has filled it. */
export async function readNewNamespace(resources: Resources, name: string): Promise<readonly string[]> {
  let found: readonly string[] = [];
  await untilNone(async () => {
    found = await resources.everythingIn(name);
    return CREATED.filter((created) => !found.includes(created));
  });
  return found;
}

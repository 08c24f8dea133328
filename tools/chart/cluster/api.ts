import { request } from 'node:https';

/** An object of Kubernetes, as far as we read it. */
export type KubernetesObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
};

export type Api = {
  /** The JSON answer; throws with the reason of the server if the status is not 2xx. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
};

export type Access = { readonly port: number; readonly certificate: string; readonly token: string };

const DEADLINE_MS = 30_000;
/** A PATCH is an apply if its query names an owner of fields, otherwise a merge. */
const PATCHES = { apply: 'application/apply-patch+yaml', merge: 'application/merge-patch+json' };

export function createApi({ port, certificate, token }: Access): Api {
  return {
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const patch = path.includes('fieldManager=') ? PATCHES.apply : PATCHES.merge;
        const text = body === undefined ? '' : JSON.stringify(body);
        const headers = {
          // Node sends the body of a DELETE without its length otherwise.
          'content-length': Buffer.byteLength(text),
          authorization: `Bearer ${token}`,
          'content-type': method === 'PATCH' ? patch : 'application/json',
        };
        const signal = AbortSignal.timeout(DEADLINE_MS);
        const options = { host: '127.0.0.1', port, path, method, headers, ca: certificate, signal };
        const call = request(options, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const answered = Buffer.concat(chunks).toString();
            const status = answer.statusCode ?? 0;
            if (status >= 300) reject(new Error(`${method} ${path}: ${status} ${answered}`));
            else resolve(answered.startsWith('{') ? JSON.parse(answered) : answered);
          });
        });
        call.on('error', reject);
        call.end(text);
      }),
  };
}

/** The objects of a list. */
export async function listOf(api: Api, path: string): Promise<readonly KubernetesObject[]> {
  const { items } = (await api.call('GET', path)) as { items: readonly KubernetesObject[] }; // a list of the API
  return items;
}

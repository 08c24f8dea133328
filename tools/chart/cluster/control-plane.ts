import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Engine, freePort, launchEngine } from '../../stack/index.ts';
import { type Access, type Api, createApi } from './api.ts';

export type ControlPlane = {
  readonly api: Api;
  /** The file with address and credentials for helm. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
};

type Program = {
  readonly name: string;
  readonly args: readonly string[];
  readonly isReady: () => Promise<boolean>;
};

const DIRECTORY = path.resolve('.local/control-plane');
const LOOPBACK = '127.0.0.1';

/** An API server with an empty etcd and the controllers of Kubernetes, on loopback. No node belongs to it, so it runs no container. */
export async function startControlPlane(programs: string): Promise<ControlPlane> {
  await rm(DIRECTORY, { recursive: true, force: true });
  await mkdir(DIRECTORY, { recursive: true, mode: 0o700 });
  const started: Engine[] = [];
  const stop = async (): Promise<void> => {
    for (const engine of started.reverse()) await engine.stop();
  };
  const start = async ({ name, args, isReady }: Program): Promise<void> => {
    const engine = await launchEngine({
      ...{ name, title: name, address: LOOPBACK, directory: DIRECTORY, isReady },
      command: path.join(programs, name),
      args,
      mark: path.join(programs, name),
      readyTimeoutMs: 180_000,
      stopSignal: 'SIGTERM',
    });
    started.push(engine);
  };
  try {
    const etcdPort = await freePort();
    await start(etcd(etcdPort, await freePort()));
    await writeKeys();
    const port = await freePort();
    const token = randomBytes(32).toString('hex');
    await writeFile(fileOf('tokens.csv'), `${token},helm,helm,system:masters\n`, { mode: 0o600 });
    await start(apiServer(port, { etcdPort, token }));
    const access = { port, token, certificate: await readFile(fileOf('apiserver.crt'), 'utf8') };
    const kubeconfig = await writeKubeconfig(access);
    const api = createApi(access);
    await start(controllerManager(kubeconfig, api));
    return { api, kubeconfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function etcd(port: number, peerPort: number): Program {
  const [address, peer] = [`http://${LOOPBACK}:${port}`, `http://${LOOPBACK}:${peerPort}`];
  return {
    name: 'etcd',
    args: [
      `--data-dir=${fileOf('etcd')}`,
      `--listen-client-urls=${address}`,
      `--advertise-client-urls=${address}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
    ],
    isReady: () => answers(() => fetch(`${address}/health`, { signal: AbortSignal.timeout(5_000) })),
  };
}

function apiServer(port: number, { etcdPort, token }: { etcdPort: number; token: string }): Program {
  return {
    name: 'kube-apiserver',
    args: [
      `--etcd-servers=http://${LOOPBACK}:${etcdPort}`,
      `--bind-address=${LOOPBACK}`,
      `--secure-port=${port}`,
      `--cert-dir=${DIRECTORY}`,
      `--token-auth-file=${fileOf('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--endpoint-reconciler-type=none',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${fileOf('accounts.key')}`,
      `--service-account-key-file=${fileOf('accounts.pub')}`,
    ],
    isReady: async () => {
      if (!existsSync(fileOf('apiserver.crt'))) return false;
      const certificate = await readFile(fileOf('apiserver.crt'), 'utf8');
      return answers(() => createApi({ port, token, certificate }).call('GET', '/readyz'));
    },
  };
}

function controllerManager(kubeconfig: string, api: Api): Program {
  return {
    name: 'kube-controller-manager',
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--bind-address=${LOOPBACK}`,
      '--secure-port=0',
      '--leader-elect=false',
      '--horizontal-pod-autoscaler-sync-period=1s',
      // It would declare the node of nodes.ts dead, which sends no heartbeats.
      '--controllers=*,-node-lifecycle-controller',
      `--service-account-private-key-file=${fileOf('accounts.key')}`,
      `--root-ca-file=${fileOf('apiserver.crt')}`,
    ],
    // Without this account no pod can be created.
    isReady: () => answers(() => api.call('GET', '/api/v1/namespaces/default/serviceaccounts/default')),
  };
}

async function writeKeys(): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  await writeFile(fileOf('accounts.key'), privateKey, { mode: 0o600 });
  await writeFile(fileOf('accounts.pub'), publicKey);
}

async function writeKubeconfig({ port, certificate, token }: Access): Promise<string> {
  const name = 'test';
  const file = fileOf('kubeconfig');
  const cluster = {
    server: `https://${LOOPBACK}:${port}`,
    'certificate-authority-data': Buffer.from(certificate).toString('base64'),
  };
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': name },
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

async function answers(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch {
    return false;
  }
}

function fileOf(name: string): string {
  return path.join(DIRECTORY, name);
}

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isInstalled, run } from '../programs.ts';
import { KUBERNETES } from '../versions.ts';

const HELM = '3.19.0';
const ETCD = '3.6.4';
/** The modules of the repository of Kubernetes that are also published alone, with another version. */
const PUBLISHED = /=> \.\/staging\/src\/(k8s\.io\/[a-z0-9-]+)/g;
const DEADLINE_MS = 60 * 60_000;
const PROGRAMS = ['helm', 'etcd', 'kube-apiserver', 'kube-controller-manager'];

/**
 * The folder with helm, etcd, kube-apiserver and kube-controller-manager. The first call builds them from the Go module
 * proxy, which takes about ten minutes of CPU and 2 GB of disk.
 */
export async function buildPrograms(): Promise<string> {
  const folder = path.resolve('.local', `kubernetes-${KUBERNETES}`);
  const isBuilt = (name: string): boolean => existsSync(path.join(folder, name));
  if (PROGRAMS.every(isBuilt)) return folder;
  if (!isInstalled('go')) throw new Error('go is missing: the programs of Kubernetes are built with it.');
  const etcd = await writeModule(path.join(folder, 'modules/etcd'), {
    'go.mod': `module etcd\n\ngo 1.24\n\nrequire go.etcd.io/etcd/server/v3 v${ETCD}\n`,
  });
  const kubernetes = await writeModule(path.join(folder, 'modules/kubernetes'), await readKubernetesModule());
  if (!isBuilt('helm')) go(['install', `helm.sh/helm/v3/cmd/helm@v${HELM}`], folder, folder);
  if (!isBuilt('etcd'))
    go(['build', '-o', path.join(folder, 'etcd'), 'go.etcd.io/etcd/server/v3'], folder, etcd);
  // Without its version the server calls itself v0.0.0, which the chart rejects.
  const flags = `-ldflags=-X k8s.io/component-base/version.gitVersion=v${KUBERNETES}`;
  for (const name of PROGRAMS.filter((program) => program.startsWith('kube-') && !isBuilt(program)))
    go(['build', flags, '-o', path.join(folder, name), `k8s.io/kubernetes/cmd/${name}`], folder, kubernetes);
  return folder;
}

/** Go refuses to install Kubernetes, because its go.mod names folders. So we build it as a dependency of our own module. */
async function readKubernetesModule(): Promise<Record<string, string>> {
  const answer: unknown = JSON.parse(
    run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${KUBERNETES}`]),
  );
  const { Dir } = answer as { Dir: string }; // the documented answer of go mod download
  const text = await readFile(path.join(Dir, 'go.mod'), 'utf8');
  const published = KUBERNETES.replace(/^1\./, 'v0.');
  return {
    'go.mod': text
      .replace(/^module .+$/m, `module kubernetes\n\nrequire k8s.io/kubernetes v${KUBERNETES}`)
      .replace(PUBLISHED, `=> $1 ${published}`),
    'go.sum': await readFile(path.join(Dir, 'go.sum'), 'utf8'),
  };
}

async function writeModule(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folder;
}

/** Runs Go in a module. It shows what it does, because it takes minutes. */
function go(args: readonly string[], programs: string, module: string): void {
  console.log(`go ${args.join(' ')}`);
  const { status, error } = spawnSync('go', args, {
    cwd: module,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: DEADLINE_MS,
    env: { ...process.env, GOFLAGS: '-mod=mod -buildvcs=false -trimpath', GOBIN: programs, CGO_ENABLED: '0' },
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`go ${args.join(' ')} failed`);
}

import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { aborted, runProgram } from '../run/run-program.ts';
import { type Api, type KubernetesObject, listOf } from './cluster/api.ts';
import { buildPrograms } from './cluster/build.ts';
import { type ControlPlane, startControlPlane } from './cluster/control-plane.ts';
import {
  type Values,
  createNamespace,
  createSecrets,
  readNewNamespace,
  secretsOf,
} from './cluster/namespace.ts';
import { runNodes } from './cluster/nodes.ts';
import { createOperatorKinds } from './cluster/operator-kinds.ts';
import { type Resources, readResources } from './cluster/resources.ts';
import { problemsOf } from './cluster/state.ts';
import { untilNone } from './cluster/until-none.ts';

/**
 * Installs, updates, rolls back and uninstalls the chart with each example of values, on a real API server with the
 * controllers of Kubernetes. There are no nodes: `runNodes` reports pods as ready, and no container runs.
 */
const CHART = 'infra/helm/flagmeter';
const EXAMPLES = 'infra/helm/examples';
const RELEASE = 'flagmeter';

type Helm = (...args: readonly string[]) => Promise<string>;
type Place = { readonly api: Api; readonly helm: Helm; readonly resources: Resources };

const programs = await buildPrograms();

await runProgram('.local/control-plane/logs', async (interrupted) => {
  const controlPlane = await startControlPlane(programs);
  const end = new AbortController();
  try {
    await Promise.race([
      runNodes(controlPlane.api, end.signal),
      installAll(controlPlane),
      aborted(interrupted),
    ]);
  } finally {
    end.abort();
    await controlPlane.stop();
  }
  return interrupted.aborted ? 130 : 0;
});

async function installAll({ api, kubeconfig }: ControlPlane): Promise<void> {
  await createOperatorKinds(api);
  const place = { api, helm: createHelm(kubeconfig), resources: await readResources(api) };
  for (const example of await readdir(EXAMPLES)) {
    await installExample(place, example);
    console.log(`${example}: installed, updated, rolled back and uninstalled`);
  }
  await addAutoscaler(place);
  console.log('an update added an autoscaler, and a rollback removed it');
  await failMigration(place);
  console.log('an update whose migration failed left the pods as they were, and could be repeated');
}

function createHelm(kubeconfig: string): Helm {
  const execute = promisify(execFile);
  return async (...args) => {
    const options = { timeout: 6 * 60_000, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await execute(
      path.join(programs, 'helm'),
      [...args, '--kubeconfig', kubeconfig],
      options,
    );
    return stdout;
  };
}

async function installExample(place: Place, example: string): Promise<void> {
  const { api, helm, resources } = place;
  const namespace = `install-${path.basename(example, '.yaml')}`;
  await createNamespace(api, namespace, await readValues(example));
  const before = await readNewNamespace(resources, namespace);
  const release = releaseOf(namespace, example);
  await helm('install', ...release);
  await expectImages(api, namespace, /^(?!.*:next)/);
  await applyStrictly(place, namespace);
  await helm('upgrade', ...release, '--set', 'image.tag=next');
  await expectImages(api, namespace, /:next$/);
  await helm('rollback', RELEASE, '1', '--namespace', namespace, '--wait');
  await expectImages(api, namespace, /^(?!.*:next)/);
  await helm('uninstall', RELEASE, '--namespace', namespace, '--wait');
  await untilNone(async () => {
    const after = await resources.everythingIn(namespace);
    return after.filter((name) => !before.includes(name)).map((name) => `left in ${namespace}: ${name}`);
  });
}

/** A Deployment that loses its number of replicas must still come under the control of the autoscaler. */
async function addAutoscaler({ api, helm }: Place): Promise<void> {
  const namespace = 'autoscaler';
  await createNamespace(api, namespace, await readValues('production.yaml'));
  await helm('install', ...releaseOf(namespace, 'minimal.yaml'));
  await untilNone(() => problemsOf(api, namespace));
  await helm('upgrade', ...releaseOf(namespace, 'production.yaml'));
  await untilNone(() => problemsOf(api, namespace));
  await helm('rollback', RELEASE, '1', '--namespace', namespace, '--wait');
  await untilNone(() => problemsOf(api, namespace));
}

/** Without its Secret the job of the migration cannot start. */
async function failMigration({ api, helm }: Place): Promise<void> {
  const namespace = 'migration';
  const values = await readValues('minimal.yaml');
  await createNamespace(api, namespace, values);
  const release = releaseOf(namespace, 'minimal.yaml');
  await helm('install', ...release);
  for (const name of secretsOf(values).keys())
    await api.call('DELETE', `/api/v1/namespaces/${namespace}/secrets/${name}`);
  const update = helm('upgrade', ...release, '--set', 'image.tag=next,migrate.deadlineSeconds=2');
  const failure = await update.then(() => 'nothing failed', String);
  if (!failure.includes('pre-upgrade hooks failed')) throw new Error(failure);
  await expectImages(api, namespace, /^(?!.*:next)/);
  await createSecrets(api, namespace, values);
  await helm('upgrade', ...release, '--set', 'image.tag=next');
  await expectImages(api, namespace, /:next$/);
}

function releaseOf(namespace: string, example: string): readonly string[] {
  return [RELEASE, CHART, '--namespace', namespace, '--wait', '--values', path.join(EXAMPLES, example)];
}

async function readValues(example: string): Promise<Values> {
  return parse(await readFile(path.join(EXAMPLES, example), 'utf8')) as Values; // the chart checks them
}

/** Waits until all pods of the Deployments are ready, and have this image. */
async function expectImages(api: Api, namespace: string, image: RegExp): Promise<void> {
  await untilNone(() => problemsOf(api, namespace));
  const deployments = await listOf(api, `/apis/apps/v1/namespaces/${namespace}/deployments`);
  const images = [...JSON.stringify(deployments).matchAll(/"image":"([^"]+)"/g)].map(([, name = '']) => name);
  const others = images.filter((name) => !image.test(name));
  if (others.length > 0) throw new Error(`${namespace} has the images ${others.join(', ')}`);
}

/** Helm accepts members that the server does not know. So the server gets each object once more, and rejects them. */
async function applyStrictly({ api, helm, resources }: Place, namespace: string): Promise<void> {
  const query = 'dryRun=All&fieldValidation=Strict&fieldManager=strict&force=true';
  for (const part of ['manifest', 'hooks']) {
    const text = await helm('get', part, RELEASE, '--namespace', namespace);
    for (const document of parseAllDocuments(text)) {
      const object = document.toJS() as KubernetesObject | null; // the server has accepted it
      if (object === null) continue;
      const path = resources.pathOf(object, namespace);
      await api.call('PATCH', `${path}/${object.metadata.name}?${query}`, object);
    }
  }
}

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { configSchema } from '#base/runtime';
import { kubernetesSchemas } from './kubernetes-schemas.ts';
import { isInstalled, run } from './programs.ts';

/** Renders the chart with each example of values, and checks every object against the schemas of Kubernetes. */
/** The version of Kubernetes whose API the objects are checked against. */
const KUBERNETES = '1.34.1';
const CHART = 'infra/helm/flagmeter';
const EXAMPLES = 'infra/helm/examples';
const PAGE = 'docs/operate/kubernetes.md';
const INSTALL =
  /helm upgrade --install flagmeter oci:\/\/(\S+) --version (\S+) --namespace (\S+) --values values\.yaml/;
/** Kinds of the Prometheus Operator and of the Gateway API, which are not part of Kubernetes. */
const OTHER_KINDS = 'ServiceMonitor,PrometheusRule,HTTPRoute';

type KubernetesObject = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
};

const missing = ['helm', 'kubeconform', 'go'].filter((program) => !isInstalled(program));
if (missing.length > 0) console.log(`The Helm chart was not rendered: ${missing.join(' and ')} missing.`);
else await check();

async function check(): Promise<void> {
  const schemas = join(await kubernetesSchemas(KUBERNETES), '{{ .ResourceKind }}{{ .KindSuffix }}.json');
  for (const example of readdirSync(EXAMPLES)) {
    const values = ['--values', join(EXAMPLES, example)];
    run('helm', ['lint', '--strict', CHART, ...values]);
    checkObjects(example, render(['release', CHART, ...values]), schemas);
  }
  checkReleased(schemas);
}

function render(args: readonly string[]): string {
  return run('helm', ['template', '--kube-version', KUBERNETES, ...args]);
}

function checkObjects(name: string, text: string, schemas: string): void {
  run('kubeconform', ['-strict', '-schema-location', schemas, '-skip', OTHER_KINDS, '-'], text);
  const objects = parseAllDocuments(text).flatMap((document): KubernetesObject[] => {
    const object = document.toJS() as KubernetesObject | null; // kubeconform has checked it
    return object === null ? [] : [object];
  });
  const problems = objects.flatMap(problemsOf);
  if (problems.length > 0) throw new Error(`${name}\n${problems.join('\n')}`);
  console.log(`${name}: ${objects.length} objects of the Helm chart are valid`);
}

/** What a reader of the page installs: its values, and its line with the chart that a release would publish from here. */
function checkReleased(schemas: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [, values = ''] = /```yaml\n(.+?)```/s.exec(page) ?? [];
  const [, published = '', version = '', namespace = ''] = INSTALL.exec(page) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'flagmeter-chart-'));
  try {
    writeFileSync(join(folder, 'values.yaml'), values);
    run('helm', ['package', CHART, '--destination', folder]);
    const archive = join(folder, `${basename(published)}-${version}.tgz`);
    const text = render([
      'flagmeter',
      archive,
      '--namespace',
      namespace,
      '--values',
      join(folder, 'values.yaml'),
    ]);
    const images = new Set([...text.matchAll(/image: "?([^\s"]+)/g)].map(([, image]) => image));
    const expected = `${published.replace('charts/', '')}:${version}`;
    if (images.size !== 1 || !images.has(expected))
      throw new Error(`${PAGE} installs the images ${[...images].join(', ')} instead of ${expected}`);
    checkObjects(PAGE, text, schemas);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function problemsOf(object: KubernetesObject): readonly string[] {
  const { kind, metadata, data = {}, spec } = object;
  const settings = [
    ...(kind === 'ConfigMap' && data['PORT'] !== undefined ? Object.keys(data) : []),
    ...[...JSON.stringify(object).matchAll(/"name":"([A-Z][A-Z0-9_]+)"/g)].map(([, name = '']) => name),
  ];
  const alerts: unknown = parse(readFileSync('infra/prometheus/alerts.yml', 'utf8'));
  return [
    ...settings
      .filter(
        (name) =>
          !(name in configSchema.properties) && !(name.replace(/_FILE$/, '') in configSchema.properties),
      )
      .map((name) => `${kind} ${metadata.name}: flagmeter has no setting ${name}`),
    ...(kind === 'NetworkPolicy' ? openRulesOf(object) : []),
    ...(kind === 'PrometheusRule' && !isDeepStrictEqual(spec, alerts) ? ['the alert rules differ'] : []),
  ];
}

/** Kubernetes reads a rule without peers as a rule for everybody. */
function openRulesOf({ metadata, spec }: KubernetesObject): readonly string[] {
  const { ingress = [] } = spec as { ingress?: readonly { from?: readonly unknown[] }[] }; // kubeconform has checked it
  return ingress
    .filter(({ from = [] }) => from.length === 0)
    .map((rule) => `NetworkPolicy ${metadata.name} lets everybody in: ${JSON.stringify(rule)}`);
}

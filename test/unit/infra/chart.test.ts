import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parse } from 'yaml';
import { configSchema } from '#base/runtime';
import { createValuesSchema } from '../../../tools/chart/values-schema.ts';

const root = join(import.meta.dirname, '../../..');
const infra = join(root, 'infra');
const chart = join(infra, 'helm/flagmeter');
const examples = readdirSync(join(infra, 'helm/examples'));
const templates = readdirSync(join(chart, 'templates'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.includes('.'))
  .map((name) => read(chart, 'templates', name));

describe('infra/helm/flagmeter', () => {
  const isValid = new Ajv({ allErrors: true }).compile(createValuesSchema());

  it('has a schema of its values that was made of the settings of flagmeter', () => {
    const message = 'run make chart-schema';
    expect(JSON.parse(read(chart, 'values.schema.json')), message).to.deep.equal(createValuesSchema());
  });

  for (const example of examples) {
    it(`accepts the values of the example ${example}`, () => {
      expect(isValid(valuesOf(example)), JSON.stringify(isValid.errors)).to.equal(true);
    });
  }

  it('accepts the values of docs/operate/kubernetes.md', () => {
    const [, block = ''] = /```yaml\n(.+?)```/s.exec(read(root, 'docs/operate/kubernetes.md')) ?? [];
    expect(block).to.include('KAFKA_BROKERS');
    const values = { ...parseValues(read(chart, 'values.yaml')), ...parseValues(block) };
    expect(isValid(values), JSON.stringify(isValid.errors)).to.equal(true);
  });

  it('rejects unknown settings, secrets in the ConfigMap and settings that the chart itself sets', () => {
    for (const [name, value] of [
      ['KAFKA_BROKER', 'kafka:9092'],
      ['MAX_VARIANTS', 0],
      ['CLICKHOUSE_PASSWORD', 'secret'],
      ['DATABASE_URL', 'postgres://flagmeter:secret@postgres/flagmeter'],
      ['DATABASE_OWNER_URL', 'postgres://flagmeter:secret@postgres/flagmeter'],
      ['OIDC_CLIENT_SECRET', 'secret'],
      ['SECRETS_KEY', 'secret'],
      ['INIT_ADMIN_API_TOKENS', '*:*.secret'],
      ['OPS_PORT', 9000],
    ] as const) {
      const values = valuesOf('minimal.yaml');
      const changed = { ...values, settings: { ...values.settings, [name]: value } };
      expect(isValid(changed), name).to.equal(false);
    }
  });

  it('accepts settings that are about secrets', () => {
    const values = valuesOf('minimal.yaml');
    const settings = { ...values.settings, MAX_DAYS_OF_CLIENT_TOKENS: 90, ALLOW_SHORT_SECRETS: false };
    expect(isValid({ ...values, settings }), JSON.stringify(isValid.errors)).to.equal(true);
  });

  it('sets only settings that flagmeter reads', () => {
    const set = templates.flatMap((text) =>
      [...text.matchAll(/(?:^|name: )([A-Z][A-Z0-9_]{3,})(?=[:,])/gm)].map(([, name = '']) => name),
    );
    expect(set).to.include.members(['OPS_PORT', 'LISTEN_TLS_CERT_FILE', 'TLS_CA_FILE']);
    expect(set.filter((name) => !(name in configSchema.properties))).to.deep.equal([]);
  });

  it('starts programs that have a source file', () => {
    const names = [
      ...read(chart, 'templates/_names.tpl').matchAll(/^(ingest .+?)\{\{ if .+ unleash-bridge\b/gm),
    ];
    const services = [...(names[0]?.[1] ?? '').split(' '), 'unleash-bridge'];
    expect(services).to.have.length(4);
    for (const service of services)
      expect(existsSync(join(root, 'services', service, 'main.ts'))).to.equal(true);
  });

  it('ends pods later than a service that does not stop ends itself', () => {
    const [, deadlineMs = ''] =
      /STOP_DEADLINE_MS = (\d+_\d+)/.exec(read(root, 'packages/base/runtime/process/lifecycle.ts')) ?? [];
    const { terminationGracePeriodSeconds } = valuesOf('minimal.yaml');
    expect(terminationGracePeriodSeconds * 1000).to.be.greaterThan(
      Number(deadlineMs.replace('_', '')) + 5000,
    );
  });

  it('contains the alert rules and dashboards of infra', () => {
    expect(read(chart, 'files/alerts.yml')).to.equal(read(infra, 'prometheus/alerts.yml'));
    for (const name of readdirSync(join(infra, 'grafana/dashboards')))
      expect(read(chart, 'files/dashboards', name)).to.equal(read(infra, 'grafana/dashboards', name));
  });
});

type Values = {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly terminationGracePeriodSeconds: number;
};

/** The values of the chart with those of an example on top. The schema requires only members of `settings` and `secrets`, so a shallow merge is enough. */
function valuesOf(example: string): Values {
  const defaults = parseValues(read(chart, 'values.yaml'));
  const values = parseValues(read(infra, 'helm/examples', example));
  return { ...defaults, ...values };
}

function parseValues(text: string): Values {
  return parse(text, { merge: true }) as Values; // the schema checks it
}

function read(...path: string[]): string {
  return readFileSync(join(...path), 'utf8');
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { checkCompose } from '../../support/documents/compose.ts';

type Service = {
  readonly image?: string;
  readonly hostname?: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly volumes?: readonly string[];
};
type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

type Workflow = {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
};

const root = join(import.meta.dirname, '../../..');
const single = parse(read('infra/compose.yaml'), { merge: true }) as Compose; // compose.test.ts checks it
const cluster = readCluster();
const services = Object.entries(cluster.services);
const clickHouses = services.filter(([name]) => name.startsWith('clickhouse'));
const brokers = services.filter(([name]) => name.startsWith('kafka'));
const settings = cluster.services['worker']?.environment ?? {};

describe('infra/compose.cluster.yaml', () => {
  it('mounts files that exist and volumes that are declared', () => {
    const sources = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    expect(sources).to.have.length.above(10);
    const unknown = sources.filter(
      (source) =>
        !(source.startsWith('.') ? existsSync(join(root, 'infra', source)) : source in cluster.volumes),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('gives each engine a volume of its own', () => {
    const volumes = [...services, ...Object.entries(single.services)].flatMap(([, service]) =>
      (service.volumes ?? []).flatMap((volume) => /^[\w-]+-data(?=:)/.exec(volume) ?? []),
    );
    expect(new Set(volumes)).to.have.property('size', volumes.length);
  });

  it('names the replicas of each shard in CLICKHOUSE_URL as in the cluster of ClickHouse', () => {
    const shards = new Map<unknown, string[]>();
    for (const [name, { environment = {}, hostname }] of clickHouses) {
      expect([hostname, environment['REPLICA']]).to.deep.equal([name, name]);
      const shard = environment['SHARD'];
      shards.set(shard, [...(shards.get(shard) ?? []), name]);
    }
    const urls = [...shards.values()].map((names) => names.map((name) => `http://${name}:8123`).join(','));
    expect(settings['CLICKHOUSE_URL']).to.equal(urls.join(';'));
    const [, definition = ''] =
      /<flagmeter>(.+)<\/flagmeter>/s.exec(read('infra/clickhouse/cluster.xml')) ?? [];
    const defined = definition
      .split('</shard>')
      .slice(0, -1)
      .map((shard) => [...shard.matchAll(/<host>(.+?)<\/host>/g)].map(([, host]) => host));
    expect(defined).to.deep.equal([...shards.values()]);
  });

  it('names every broker as a voter and to the services', () => {
    expect(settings['KAFKA_BROKERS']).to.equal(brokers.map(([name]) => `${name}:19092`).join(','));
    const voters = brokers.map(
      ([name, { environment }]) => `${environment?.['KAFKA_NODE_ID'] ?? 1}@${name}:9093`,
    );
    for (const [, { environment }] of brokers)
      expect(environment?.['KAFKA_CONTROLLER_QUORUM_VOTERS']).to.equal(voters.join(','));
  });

  it('has the Keeper of the version of ClickHouse', () => {
    const [, version] = /:([\d.]+)@/.exec(single.services['clickhouse']?.image ?? '') ?? [];
    expect(cluster.services['keeper']?.image).to.equal(`clickhouse/clickhouse-keeper:${version}`);
  });

  it('is migrated again in the workflow by the only service that has the address of the owner', () => {
    const { jobs } = parse(read('.github/workflows/ci.yml')) as Workflow;
    const commands = (jobs['cluster']?.steps ?? []).flatMap(({ run = '' }) =>
      run
        .replaceAll(/\\\n\s*/g, '')
        .trim()
        .split('\n'),
    );
    const migrations = commands.filter((command) => command.endsWith(' migrate'));
    expect(migrations).to.have.lengthOf(1);
    expect(migrations[0]).to.match(/^docker compose run --rm -T( --env \S+)+ +migrate$/);
  });

  it('loses each of its engines in the story of the workflow', () => {
    const script = read('tools/run/suite/compose-faults.sh');
    const [, names = ''] = /^readonly SERVERS=\((.+)\)$/m.exec(script) ?? [];
    const engines = services.map(([name]) => name).filter((name) => /^(clickhouse|kafka|keeper)/.test(name));
    expect(names.split(' ')).to.have.members(engines.filter((name) => name !== 'kafka-3'));
  });
});

/** Throws with the problems of the schema. */
function readCluster(): Compose {
  const removed = { tag: '!reset', collection: 'seq' as const, resolve: () => undefined };
  const value: unknown = parse(read('infra/compose.cluster.yaml'), { merge: true, customTags: [removed] });
  const known: unknown = JSON.parse(JSON.stringify(value));
  checkCompose(known, 'compose.cluster.yaml');
  return known as Compose; // the schema was checked
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

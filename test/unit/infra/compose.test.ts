import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { configSchema } from '#base/runtime';
import { checkCompose } from '../../support/documents/compose.ts';

// The specification allows several spellings of most members. compose.yaml uses these, and a check below rejects any
// other.
type Service = {
  readonly cap_add?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly depends_on?: Named<{ readonly condition: string }>;
  readonly environment?: Named<string | number | null>;
  readonly expose?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[] };
  readonly image?: string;
  readonly mem_limit?: string;
  readonly ports?: readonly string[];
  readonly restart?: string;
  readonly volumes?: readonly string[];
};
type Compose = { readonly services: Named<Service>; readonly volumes: Named<unknown> };
type Named<T> = Readonly<Record<string, T>>;
type Check = (service: Service, compose: Compose) => readonly string[];

const root = join(import.meta.dirname, '../../..');
const composeText = readFileSync(join(root, 'infra/compose.yaml'), 'utf8');
/** The files that make-secrets.sh writes. */
const SECRET_FILES = [
  ...readFileSync(join(root, 'infra/compose/make-secrets.sh'), 'utf8').matchAll(/^give (\w+) ([\w.-]+) /gm),
].map(([, service, file]) => `/secrets/${service}/${file}`);
const checks: Named<Check> = {
  'builds from folders and files that exist': missingBuildFiles,
  'starts programs that have a source file': commandWithoutSource,
  'mounts files that exist and volumes that are declared': missingVolumes,
  'gives our services only variables that the configuration reads': unknownVariables,
  'takes every secret from a file that make-secrets.sh writes for it': secretsFromElsewhere,
  'gives initial tokens only to migrate': strayTokens,
  'names an exact version of each image with its digest': movingTags,
  'drops every capability, and adds only those that ClickHouse and the secrets need': capabilities,
  'depends on services that exist and, for health, have a health check': impossibleDependencies,
  'checks the health of every lasting service': missingHealthCheck,
  'limits the memory of every service and sets its restart policy': missingLimits,
  'publishes ports on the loopback address only': openPorts,
  'opens the port that each of our services listens on': unopenedPort,
  'addresses services that exist at ports that they open': unknownAddresses,
};
let compose: Compose;

describe('infra/compose.yaml', () => {
  before('follows the Compose Specification', () => {
    compose = readCompose();
  });

  it('runs migrate, ingest, worker, unleash-bridge and admin from our image', () => {
    const ours = Object.keys(compose.services).filter((name) => isOurs(compose.services[name] ?? {}));
    expect(ours).to.have.members(['migrate', 'ingest', 'worker', 'unleash-bridge', 'admin']);
  });

  it('explains every variable that a user can set', () => {
    expect(undocumentedVariables()).to.deep.equal([]);
  });

  it('gives the services a Postgres role that is no superuser, and a Redis with a password', () => {
    const { postgres, redis, ...others } = compose.services;
    expect(postgres?.environment).to.not.have.any.keys(
      'POSTGRES_USER',
      'POSTGRES_DB',
      'POSTGRES_HOST_AUTH_METHOD',
    );
    expect(JSON.stringify(others)).to.not.include('postgres/superuser');
    expect(redis?.command).to.include('/secrets/redis/redis.conf');
  });

  it('passes each access setting to every service that reads it', () => {
    const { migrate, ingest, worker, admin } = compose.services;
    const names = (service?: Service): string[] => Object.keys(service?.environment ?? {});
    expect(names(migrate)).to.include('ALLOW_SHORT_SECRETS');
    expect(names(admin)).to.include.members([
      'AUTH_TYPE',
      'ADMIN_HOSTS',
      'ADMIN_CORS_ORIGINS',
      'ADMIN_ACCESS_LOG',
      'TOKENS_END_WITH_CREATOR',
    ]);
    for (const service of [ingest, worker, admin])
      expect(names(service)).to.include.members(['OPS_PORT', 'OPS_HOST']);
  });

  for (const [sentence, check] of Object.entries(checks)) {
    it(sentence, () => {
      expect(problems(check)).to.deep.equal([]);
    });
  }
});

describe('the workflow', () => {
  const workflow = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8');

  it('has read permission only, and leaves no credentials in the checkout', () => {
    expect(parse(workflow)).to.have.deep.property('permissions', { contents: 'read' });
    const checkouts = workflow.match(/actions\/checkout@/g) ?? [];
    expect(workflow.match(/persist-credentials: false/g)).to.have.length(checkouts.length);
  });

  it('names every action by its commit', () => {
    expect(workflow.match(/uses: (?!\S+@[0-9a-f]{40} # v)\S+/g)).to.equal(null);
  });
});

/**
 * Throws with the problems of the schema. The other checks make sense only for a file that follows the specification.
 */
function readCompose(): Compose {
  const value: unknown = parse(composeText, { merge: true });
  // `strict` would reject the union types of the specification, not our file.
  checkCompose(value, 'compose.yaml');
  return value as Compose; // the schema was checked
}

function problems(check: Check): readonly string[] {
  return Object.entries(compose.services).flatMap(([name, service]) =>
    check(service, compose).map((problem) => `${name}: ${problem}`),
  );
}

function isOurs(service: Service): boolean {
  return /\/flagmeter:[\d.]+$/.test(service.image ?? '');
}

function missingBuildFiles({ build }: Service): readonly string[] {
  if (build === undefined) return [];
  const context = join(root, 'infra', build.context);
  return [context, join(context, build.dockerfile)].filter((path) => !existsSync(path));
}

function commandWithoutSource(service: Service): readonly string[] {
  const [program, path] = service.command ?? [];
  return !isOurs(service) || (program === 'node' && hasSource(path)) ? [] : [`no source of ${String(path)}`];
}

function hasSource(path = 'no path'): boolean {
  return existsSync(join(root, path.replace(/^dist\/(.+)\.js$/, '$1.ts')));
}

function missingVolumes({ volumes = [] }: Service, { volumes: declared }: Compose): readonly string[] {
  return volumes
    .map((volume) => volume.split(':')[0] ?? '')
    .filter(
      (source) => !(source.startsWith('.') ? existsSync(join(root, 'infra', source)) : source in declared),
    );
}

function unknownVariables(service: Service): readonly string[] {
  const names = isOurs(service) ? Object.keys(service.environment ?? {}) : [];
  return names.filter((name) => !(name.replace(/_FILE$/, '') in configSchema.properties));
}

/** Secrets have the names that `secrets` passes on, and that services read from files. */
function secretsFromElsewhere({ environment = {}, ...service }: Service): readonly string[] {
  const named = Object.entries(environment)
    .filter(([name]) => /PASSWORD|_URL_FILE|AUTH$/.test(name))
    .filter(([name, value]) =>
      name.endsWith('_FILE') ? !SECRET_FILES.includes(String(value)) : value !== null,
    );
  const read = JSON.stringify(service).match(/\/secrets\/\w+\/[\w.-]+/g) ?? [];
  const urls = Object.values(environment).filter((value) => /:\/\/\w+:.+@/.test(String(value)));
  return [
    ...named.map(([name]) => name),
    ...read.filter((file) => !SECRET_FILES.includes(file)),
    ...urls.map(String),
  ];
}

function strayTokens(service: Service, { services }: Compose): readonly string[] {
  if (service === services['migrate']) return [];
  return Object.keys(service.environment ?? {}).filter((name) => /^INIT_.*_TOKENS$/.test(name));
}

/** Their digests must be read from a registry. */
const WITHOUT_DIGEST = new Set(['apache/kafka:4.4.0']);

/** At least three numbers, because `postgres:18` is another image next month. */
function movingTags(service: Service): readonly string[] {
  const { image = 'no image' } = service;
  // Versions of Postgres have two numbers.
  const version = image.startsWith('postgres:') ? /:\d+\.\d+@/ : /:v?\d+\.\d+\.[\d.]+@/;
  const isExact = version.test(image) && /@sha256:[0-9a-f]{64}$/.test(image);
  return isOurs(service) || isExact || WITHOUT_DIGEST.has(image) ? [] : [image];
}

function capabilities({
  cap_add: added = [],
  cap_drop: dropped = [],
  image = '',
  command = [],
}: Service): readonly string[] {
  const givesFiles = command.includes('/make-secrets.sh') ? ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'] : [];
  const mayHave = image.startsWith('clickhouse/')
    ? ['CHOWN', 'DAC_OVERRIDE', 'SETGID', 'SETUID']
    : givesFiles;
  return [
    ...(dropped.includes('ALL') ? [] : ['keeps capabilities']),
    ...added.filter((name) => !mayHave.includes(name)),
  ];
}

function undocumentedVariables(): readonly string[] {
  const header = composeText.slice(0, composeText.indexOf('\nname:'));
  const interpolated = [...composeText.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? '');
  const handedThrough = [...composeText.matchAll(/^ +([A-Z_]+):$/gm)].map(([, name]) => name ?? '');
  return [...interpolated, ...handedThrough].filter((name) => !new RegExp(`\\b${name}\\b`).test(header));
}

function impossibleDependencies(service: Service, { services }: Compose): readonly string[] {
  return Object.entries(service.depends_on ?? {})
    .filter(([name, { condition }]) => {
      const dependency = services[name];
      if (condition === 'service_healthy') return dependency?.healthcheck?.test === undefined;
      return condition !== 'service_completed_successfully' || dependency?.restart !== 'no';
    })
    .map(([name, { condition }]) => `${name} ${condition}`);
}

function missingHealthCheck({ restart, healthcheck }: Service): readonly string[] {
  return restart === 'no' || healthcheck?.test !== undefined ? [] : ['no health check'];
}

function missingLimits({ mem_limit: memoryLimit, restart }: Service): readonly string[] {
  return [
    ...(memoryLimit === undefined ? ['no mem_limit'] : []),
    ...(restart === undefined ? ['no restart'] : []),
  ];
}

function openPorts({ ports = [] }: Service): readonly string[] {
  return ports.filter((port) => !/^127\.0\.0\.1:.+:\d+$/.test(port));
}

function unopenedPort(service: Service): readonly string[] {
  const port = service.environment?.['PORT'];
  if (!isOurs(service) || service.restart === 'no') return [];
  return openedPorts(service).includes(String(port)) ? [] : [`PORT ${String(port)}`];
}

function unknownAddresses({ environment = {} }: Service, { services }: Compose): readonly string[] {
  const addresses = [
    ...Object.values(environment)
      .join(' ')
      .matchAll(/(?<=\/\/|[@, ]|^)([a-z]+):(\d+)/g),
  ];
  return addresses
    .filter(([, name = '', port = '']) => !openedPorts(services[name] ?? {}).includes(port))
    .map(([address]) => address);
}

function openedPorts({ expose = [], ports = [] }: Service): readonly string[] {
  return [...expose, ...ports.map((port) => port.slice(port.lastIndexOf(':') + 1))];
}

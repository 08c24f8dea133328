import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';

describe('the secrets of infra/compose.yaml', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'flagmeter-secrets-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function make(variables: Readonly<Record<string, string>> = {}, launcher: readonly string[] = []): void {
    const env = { PATH: process.env['PATH'], SECRETS_FOLDER: folder, ...variables };
    const [program, ...args] = [...launcher, 'sh', 'infra/compose/make-secrets.sh'];
    execFileSync(program, args, { env });
  }

  function read(file: string): string {
    return readFileSync(path.join(folder, file), 'utf8').trim();
  }

  function files(): string[] {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'));
  }

  it('are made up at the first start, each differently', () => {
    make();
    const made = readdirSync(path.join(folder, 'made')).map((name) => read(`made/${name}`));

    expect(new Set(made)).to.have.property('size', 7);
    for (const secret of made) expect(secret).to.match(/^[0-9a-f]{40}$/);
  });

  it('are the same for both sides of each connection', () => {
    make();

    expect(read('application/clickhouse')).to.equal(read('clickhouse/password'));
    expect(read('application/database-url')).to.include(`:${read('postgres/password')}@postgres:`);
    expect(read('migrate/database-owner-url')).to.include(`flagmeter:${read('postgres/owner')}@postgres:`);
    for (const file of ['clickhouse', 'database-url', 'redis-url'])
      expect(read(`migrate/${file}`)).to.equal(read(`application/${file}`));
    expect(read('application/redis-url')).to.include(`:${read('redis/password')}@redis:`);
    expect(read('redis/redis.conf')).to.equal(`requirepass "${read('redis/password')}"`);
    expect(read('grafana/analyst')).to.equal(read('clickhouse/analyst'));
  });

  it('stay the same at the next start', () => {
    make();
    const before = files().map((file) => [file, statSync(path.join(folder, file)).isFile() && read(file)]);
    make();

    expect(
      files().map((file) => [file, statSync(path.join(folder, file)).isFile() && read(file)]),
    ).to.deep.equal(before);
  });

  it('are written again with the capabilities of the container', () => {
    const { services } = parse(readFileSync('infra/compose.yaml', 'utf8'), { merge: true }) as Compose;
    const added = (services['secrets']?.cap_add ?? []).map((name) => `+${name.toLowerCase()}`);
    // Only root has capabilities, and gives the files away.
    const isRoot = process.getuid?.() === 0;
    const launcher = isRoot ? ['setpriv', `--bounding-set=${['-all', ...added].join(',')}`] : [];
    make({}, launcher);
    make({ REDIS_PASSWORD: 'of-redis' }, launcher);

    expect(read('redis/password')).to.equal('of-redis');
  });

  it('are those of the variables, if set', () => {
    make();
    make({ POSTGRES_PASSWORD: 'of-postgres', GRAFANA_PASSWORD: 'of-grafana' });

    expect([read('postgres/password'), read('grafana/admin')]).to.deep.equal(['of-postgres', 'of-grafana']);
    expect(read('application/database-url')).to.include(':of-postgres@');
  });

  it('can be read by nobody but the service', () => {
    make();
    const open = files().filter((file) => (statSync(path.join(folder, file)).mode & 0o077) !== 0);
    const folders = readdirSync(folder).filter(
      (name) => (statSync(path.join(folder, name)).mode & 0o077) !== 0,
    );

    expect([...open, ...folders]).to.deep.equal([]);
  });

  it('are mounted by nobody but the service that reads them, each file of them', () => {
    make();
    const { services } = parse(readFileSync('infra/compose.yaml', 'utf8'), { merge: true }) as Compose;
    const { secrets, ...others } = services;
    const mountedBySecrets = (secrets?.volumes ?? []).filter((volume) => volume.includes('/secrets'));
    expect(mountedBySecrets.map((volume) => path.basename(volume))).to.have.members(readdirSync(folder));
    const named = new Set<string>();
    for (const [name, service] of Object.entries(others)) {
      const mounted = (service.volumes ?? []).filter((volume) => volume.includes('secrets'));
      const text = [JSON.stringify(service), ...ownFiles(service)].join('\n');
      for (const volume of mounted) {
        const [, owner = ''] = /^secrets-of-(\w+):\/secrets\/\1:ro$/.exec(volume) ?? [];
        expect(readdirSync(folder), `${name}: ${volume}`).to.include(owner);
        for (const file of readdirSync(path.join(folder, owner)))
          expect(text, name).to.match(new RegExp(`/secrets/${owner}/${file}\\b`));
      }
      const read = [...text.matchAll(/\/secrets\/(\w+)\//g)].map(([, owner]) => owner);
      expect(mounted, name).to.have.lengthOf(new Set(read).size);
      for (const owner of read) named.add(owner ?? '');
    }
    expect([...named, 'made']).to.have.members(readdirSync(folder));
  });

  it('keep the address of the owner of the tables for migrate, which is another user than the services', () => {
    const { services } = parse(readFileSync('infra/compose.yaml', 'utf8'), { merge: true }) as Compose;
    const { migrate, secrets, ...others } = services;
    expect(migrate?.environment).to.include({
      DATABASE_OWNER_URL_FILE: '/secrets/migrate/database-owner-url',
    });
    expect(secrets?.user).to.equal('root');
    const uid = /^own migrate (\d+)$/m.exec(readFileSync('infra/compose/make-secrets.sh', 'utf8'))?.[1];
    expect(migrate?.user).to.equal(uid);
    for (const service of Object.values(others)) {
      expect(JSON.stringify(service)).to.not.include('/secrets/migrate');
      expect(service.user).to.not.equal(uid);
    }
  });
});

type Service = {
  readonly cap_add?: readonly string[];
  readonly user?: string;
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, unknown>>;
};
/** The contents of the files of this repository that a service mounts. */
function ownFiles({ volumes = [] }: Service): string[] {
  const files = volumes.flatMap((volume) => /^\.\/([^:]+\.\w+):/.exec(volume)?.[1] ?? []);
  return files.map((file) => readFileSync(path.join('infra', file), 'utf8'));
}

type Compose = { readonly services: Readonly<Record<string, Service>> };

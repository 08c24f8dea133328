import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { announce, firstSteps } from '../../../../packages/tooling/stack/serving/first-steps.ts';
import { createSecrets, listOf } from '../../../../packages/tooling/stack/serving/local-secrets.ts';
import { ENGINE_ADDRESSES } from '../../../support/builders/engine-addresses.ts';

describe('what make start shows', () => {
  const { SECRETS_KEY: key, ...tokens } = createSecrets();
  const secrets = [...Object.values(tokens).flatMap(listOf), 'of-clickhouse'];
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-steps-'));
    file = path.join(directory, 'first-steps.txt');
  });
  afterEach(() => rm(directory, { recursive: true }));

  function show(isTerminal: boolean, url = 'http://127.0.0.1:4242'): Promise<string> {
    const addresses = { ...ENGINE_ADDRESSES, CLICKHOUSE_USER: 'owner', CLICKHOUSE_PASSWORD: 'of-clickhouse' };
    const ready = { url };
    const started = { ready, addresses, tokens: { SECRETS_KEY: key, ...tokens }, directory, env: {} };
    return announce(firstSteps({ ...started, hint: 'Look at it.' }), { file, isTerminal });
  }

  it('includes all tokens and a link that signs in, on a terminal', async () => {
    const shown = await show(true);

    expect(secrets.filter((secret) => !shown.includes(secret))).to.deep.equal([]);
    expect(shown).to.include('/#token=').and.not.include(key);
  });

  it('links to this machine if it listens on all addresses, as in a container', async () => {
    expect(await show(true, 'http://0.0.0.0:4242'))
      .to.include('http://127.0.0.1:4242/#token=')
      .and.not.include('0.0.0.0');
  });

  it('reads counts back without the engines of a container, which nobody reaches from outside', async () => {
    const shown = await show(true, 'http://0.0.0.0:4242');

    expect(shown).to.match(/^curl -sS http:\/\/127\.0\.0\.1:4242\/api\/admin\/.+ -H 'Authorization: /m);
    expect(shown).to.not.include(ENGINE_ADDRESSES.CLICKHOUSE_URL);
  });

  it('names a file with the secrets, which only its owner can read, if it may be logged', async () => {
    const shown = await show(false);
    const kept = await readFile(file, 'utf8');

    expect(secrets.filter((secret) => shown.includes(secret))).to.deep.equal([]);
    expect(shown).to.include('http://127.0.0.1:4242').and.include(file);
    expect(secrets.filter((secret) => !kept.includes(secret))).to.deep.equal([]);
    expect(kept).not.to.include(key);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
  });
});

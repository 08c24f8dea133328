import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Finding, examine } from '#tooling/operations';
import { type Config, readConfig } from '#base/runtime';
import { freePort } from '../../../../tools/stack/index.ts';
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../support/servers/identity/identity-provider.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';

/** Nothing listens there: the checks of ClickHouse and of the accounting are dear, and not looked at here. */
const NO_CLICKHOUSE = { CLICKHOUSE_URL: 'http://127.0.0.1:9' };
const CONSOLE = 'http://127.0.0.1:4999';
const CHECKS = ['identity provider', 'identity provider keys', 'identity provider clock'];

describe('flagmeter doctor of the identity provider', () => {
  const world = sharedUncountedWorld();
  let provider: IdentityProvider;
  let impostor: Server;
  let answerOf: (address: string) => object = () => ({});
  before(async () => {
    provider = await startIdentityProvider(CONSOLE, () => ({}));
    impostor = createServer((request, response) => {
      const address = `http://${request.headers.host ?? ''}`;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answerOf(address)));
    });
    impostor.listen(0, '127.0.0.1');
    await once(impostor, 'listening');
  });
  after(async () => {
    impostor.close();
    await provider.close();
  });

  function configOf(issuer = provider.issuer): Config {
    return configWith({ ...provider.settingsFor(CONSOLE), OIDC_ISSUER: issuer });
  }

  function configWith(settings: Readonly<Record<string, string>>): Config {
    return readConfig({ ...world.env, ...NO_CLICKHOUSE, ...settings });
  }

  async function findingsOf(config: Config, now?: () => number): Promise<readonly Finding[]> {
    const found = await examine(config, world.log, now && { now });
    return found.filter(({ check }) => check.startsWith('identity provider'));
  }

  it('finds nothing wrong with a provider that people can sign in with, and asks none without sign-in', async () => {
    const found = await findingsOf(configOf());
    expect(found.map(({ check }) => check)).to.deep.equal(CHECKS);
    expect(found.filter(({ state }) => state !== 'ok')).to.deep.equal([]);
    expect(await findingsOf(configWith({}))).to.deep.equal([]);
  });

  it('finds a clock that differs', async () => {
    const [, , clock] = await findingsOf(configOf(), () => Date.now() - 45_000);
    expect(clock).to.include({ state: 'warn' });
    expect(clock?.text).to.match(/^The clock is 4\d\.\d{3} s ahead of this host/);
  });

  it('finds a provider that has another name, one without a document, and one without keys', async () => {
    const issuer = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`; // it listens on a port
    answerOf = () => ({ issuer: 'http://127.0.0.1/other' });
    const [other, keysOfOther] = await findingsOf(configOf(issuer));
    expect(other).to.include({
      state: 'fail',
      text: 'The identity provider is the issuer http://127.0.0.1/other, which is not OIDC_ISSUER.',
    });
    expect(keysOfOther?.text).to.equal('Not checked: The identity provider cannot be used.');
    answerOf = () => ({});
    expect((await findingsOf(configOf(issuer)))[0]?.text).to.include('no discovery document');
    answerOf = (address) => ({
      issuer: address,
      jwks_uri: `${address}/keys`,
      keys: [{ kty: 'RSA', use: 'enc' }],
    });
    const [named, keyless] = await findingsOf(configOf(issuer));
    expect([named?.state, keyless?.state]).to.deep.equal(['ok', 'fail']);
  });

  it('finds a provider that does not answer', async () => {
    const [away] = await findingsOf(configOf(`http://127.0.0.1:${await freePort()}`));
    expect(away).to.include({
      state: 'fail',
      text: 'The identity provider cannot be reached: nothing listens at its address.',
    });
  });
});

import { expect } from 'chai';
import { type TokenAccess, createTokenProvider } from '../../../../packages/core/kafka/oauth-token.ts';
import { SECRET, startTokenIssuer } from './token-issuer.ts';

describe('access tokens for Kafka', () => {
  let served: Awaited<ReturnType<typeof startTokenIssuer>>;
  let nowMs = 0;
  beforeEach(async () => {
    served = await startTokenIssuer();
    nowMs = 0;
  });
  afterEach(() => served.close());

  const provider = (password = SECRET) => {
    const token = { url: served.url, scope: '', tls: {} };
    const access: TokenAccess = { mechanism: 'OAUTHBEARER', username: 'a client:1', password, token };
    return createTokenProvider(access, () => nowMs);
  };
  const problemOf = (token: Promise<unknown>): Promise<string> => token.then(() => '', String);

  it('are asked for once by connections that open together, and again after 80 % of their life', async () => {
    const read = provider();
    served.issuer.lifeSeconds = 100;
    const [first, second] = await Promise.all([read(), read()]);
    expect(second).to.deep.equal(first);
    nowMs = 79_000;
    await read();
    expect(served.bodies).to.deep.equal(['grant_type=client_credentials']);
    nowMs = 80_000;
    await Promise.all([read(), read()]);
    expect(served.bodies).to.have.lengthOf(2);
  });

  it('are asked for again after the issuer has failed', async () => {
    const read = provider();
    served.issuer.answer = 503;
    expect(await problemOf(read())).to.include('KAFKA_OAUTH_TOKEN_URL answers 503');
    served.issuer.answer = 200;
    const { value } = await read();
    const [, claims = ''] = value.split('.');
    expect(Buffer.from(claims, 'base64url').toString()).to.include('"sub":"a client:1"');
  });

  it('are not given for a wrong secret, nor by an issuer that is away', async () => {
    expect(await problemOf(provider('wrong')())).to.include('answers 401');
    const away = provider();
    await served.close();
    const problem = await problemOf(away());
    served = await startTokenIssuer();
    expect(problem).to.include('cannot be reached: ECONNREFUSED');
  });
});

import { expect } from 'chai';
import { type OwnUnleash, ownUnleash } from '../support/stack/engines/unleash.ts';
import { describeNightly } from '../support/nightly.ts';

describeNightly('a real Unleash', () => {
  let unleash: OwnUnleash;
  before(async () => {
    unleash = await ownUnleash();
  });
  after(() => unleash.dispose());

  it('serves a feature created by its admin API to a token created there', async () => {
    await unleash.createFeature('checkout');
    const secret = await unleash.createToken({ projects: ['default'] });
    const answer = await askFeatures(secret);
    expect(await answer.json()).to.have.nested.property('features[0].name', 'checkout');
  });

  it('knows its tokens after it was killed and restarted', async () => {
    await unleash.kill();
    await unleash.restart();
    expect((await askFeatures(unleash.secrets.production)).status).to.equal(200);
    expect((await askFeatures('*:production.unknown')).status).to.equal(401);
  });

  function askFeatures(authorization: string): Promise<Response> {
    return fetch(`${unleash.address}/api/client/features`, { headers: { authorization } });
  }
});

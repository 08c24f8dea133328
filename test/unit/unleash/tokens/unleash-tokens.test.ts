import { expect } from 'chai';
import type { UnleashTokens } from '#unleash/tokens';
import { eventually } from '../../../support/eventually.ts';
import { ADDRESS, SECRET, type UnleashWorld, createUnleashWorld, judge } from './unleash-world.ts';

describe('tokens of Unleash', () => {
  let world: UnleashWorld;
  let tokens: UnleashTokens;
  beforeEach(async () => {
    world = await createUnleashWorld();
    tokens = world.open();
  });
  afterEach(() => world.close());

  it("have the type, environment and projects of Unleash's answer, and the same id in every process", async () => {
    const verification = await tokens.verify(SECRET, ADDRESS);
    expect(verification)
      .to.have.property('token')
      .that.includes({ type: 'client', environment: 'production' });
    expect(verification).to.have.nested.property('token.projects').that.deep.equals(['default']);
    const other = await world.open().verify(SECRET, ADDRESS);
    expect(other).to.deep.equal(verification);
    expect(JSON.stringify(other)).not.to.include(SECRET);
  });

  it('are looked up once', async () => {
    for (let i = 0; i < 100; i += 1) expect(await judge(tokens)).to.have.property('token');
    expect(world.upstream.asked()).to.deep.equal(['POST /edge/validate']);
  });

  it('are unknown if Unleash does not list them, and are looked up again soon', async () => {
    tokens = world.open({}, { unknownMs: 20 });
    expect(await judge(tokens, '*:production.new')).to.equal('unknown');
    world.upstream.create('*:production.new');
    await eventually(
      () => judge(tokens, '*:production.new'),
      (verification) => typeof verification === 'object',
    );
  });

  it('cost one request for all unknown ones that wait', async () => {
    const results = await Promise.all(
      Array.from({ length: 400 }, (_item, index) => judge(tokens, `*:production.invented-${index}`)),
    );
    expect(new Set(results)).to.deep.equal(new Set(['unknown']));
    expect(world.upstream.requests.length).to.be.at.most(2);
  });

  it('are all recognised if 2,000 arrive at once', async () => {
    const secrets = Array.from({ length: 2000 }, (_item, index) => `*:production.relay-${index}`);
    for (const secret of secrets) world.upstream.create(secret);
    const first = await Promise.all(
      secrets.map((secret, index) => tokens.verify(secret, `192.0.2.${index % 100}`)),
    );
    expect(first).not.to.include('unknown');
    for (const secret of secrets) expect(await judge(tokens, secret)).to.have.property('token');
    expect(world.upstream.requests.length).to.be.at.most(10);
  });

  it('of 10,000 strangers wait in a bounded queue, and none is judged unknown without a request', async () => {
    const invented = Array.from({ length: 10_000 }, (_item, index) =>
      tokens.verify(`*:production.invented-${index}`, `192.0.2.${index % 100}`),
    );
    expect(tokens.waiting()).to.be.at.most(2001);
    const results = await Promise.all(invented);
    const asked = world.upstream.requests.flatMap(
      ({ body }) => (JSON.parse(body) as { tokens: string[] }).tokens,
    );
    const unknown = results.filter((result) => result === 'unknown');
    // A request that takes long makes no secret unknown.
    expect(unknown.length).to.be.at.most(asked.length);
    expect(results.filter((result) => result === 'unavailable')).to.have.length(10_000 - unknown.length);
    expect(asked.length).to.be.at.most(2001);
  });

  it('of one address leave room for those of others', async () => {
    const invented = Array.from({ length: 3000 }, (_item, index) =>
      tokens.verify(`*:production.invented-${index}`, '192.0.2.9'),
    );
    const waiting = tokens.waiting();
    const own = tokens.verify(SECRET, ADDRESS);
    // Without room it would be unavailable at once, and not wait. It is also unavailable after a request that takes long.
    expect(tokens.waiting()).to.equal(waiting + 1);
    await Promise.all([own, ...invented]);
    await eventually(
      () => judge(tokens),
      (verification) => typeof verification === 'object',
    );
  });
});

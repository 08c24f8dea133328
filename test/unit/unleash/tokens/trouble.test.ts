import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../../support/eventually.ts';
import type { Respond, Upstream } from '../../../support/servers/upstream/upstream.ts';
import { type UnleashWorld, createUnleashWorld, judge } from './unleash-world.ts';

type Trouble = { readonly title: string; readonly begin: (upstream: Upstream) => unknown };

const TROUBLE: readonly Trouble[] = [
  { title: 'is away', begin: (upstream) => upstream.close() },
  { title: 'answers garbage', begin: answering('<html>') },
  { title: 'answers 200 without a list', begin: answering('{}') },
  { title: 'answers 500', begin: answering('{}', 500) },
  { title: 'answers 429', begin: answering('{}', 429) },
  { title: 'answers 403', begin: answering('{}', 403) },
  { title: 'does not answer', begin: using(() => undefined) },
];

describe('while Unleash', () => {
  let world: UnleashWorld;
  beforeEach(async () => {
    world = await createUnleashWorld();
  });
  afterEach(() => world.close());

  for (const { title, begin } of TROUBLE) {
    it(`${title}, a known token stays valid and another one is unavailable`, async () => {
      const tokens = world.open({}, { checkMs: 0 });
      expect(await judge(tokens)).to.have.property('token');
      await begin(world.upstream);
      for (let i = 0; i < 3; i += 1) {
        expect(await judge(tokens)).to.have.property('token');
        await sleep(20);
      }
      expect(await judge(tokens, '*:production.other')).to.equal('unavailable');
    });
  }

  it('answers 401 to everything, a new token is unavailable, because a validation needs no token', async () => {
    answering('{}', 401)(world.upstream);
    expect(await judge(world.open())).to.equal('unavailable');
  });

  it('is down for longer than tokens are kept, a known token is unavailable, not unknown', async () => {
    const tokens = world.open({ tokensKeptMs: 50 });
    expect(await judge(tokens)).to.have.property('token');
    await world.upstream.close();
    await eventually(
      () => judge(tokens),
      (verification) => verification === 'unavailable',
    );
    await world.upstream.reopen();
    await eventually(
      () => judge(tokens),
      (verification) => typeof verification === 'object',
    );
  });
});

function using(respond: Respond): (upstream: Upstream) => void {
  return (upstream) => {
    upstream.respond = respond;
  };
}

function answering(body: string, status = 200): (upstream: Upstream) => void {
  return using((_request, response) => {
    response.writeHead(status).end(body);
  });
}

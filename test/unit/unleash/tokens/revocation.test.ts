import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { UnleashTokens } from '#unleash/tokens';
import { eventually } from '../../../support/eventually.ts';
import { answerJson } from '../../../support/servers/upstream/upstream.ts';
import { SECRET, type UnleashWorld, createUnleashWorld, judge } from './unleash-world.ts';

describe('known tokens of Unleash', () => {
  let world: UnleashWorld;
  let tokens: UnleashTokens;
  const look = (): Promise<unknown> => judge(tokens);
  beforeEach(async () => {
    world = await createUnleashWorld();
  });
  afterEach(() => world.close());

  async function expectKept(forMs: number): Promise<void> {
    const until = Date.now() + forMs;
    while (Date.now() < until) {
      expect(tokens.recall(SECRET)).to.have.property('token');
      await sleep(20);
    }
  }

  describe('without the list of tokens', () => {
    beforeEach(() => {
      tokens = world.open({}, { checkMs: 10, unknownMs: 50 });
    });

    it('are unknown soon after their deletion, although /edge/validate still lists them', async () => {
      expect(await judge(tokens)).to.have.property('token');
      world.upstream.delete(SECRET);
      await eventually(look, (verification) => verification === 'unknown');
      await sleep(100);
      expect(await judge(tokens)).to.equal('unknown');
      expect(world.upstream.asked().filter((asked) => asked === 'POST /edge/validate')).to.have.length.above(
        1,
      );
    });

    it('are valid again when Unleash accepts them again', async () => {
      expect(await judge(tokens)).to.have.property('token');
      world.upstream.delete(SECRET);
      await eventually(look, (verification) => verification === 'unknown');
      world.upstream.create(SECRET);
      await eventually(look, (verification) => typeof verification === 'object');
    });

    it('stay valid after a single 401', async () => {
      expect(await judge(tokens)).to.have.property('token');
      let isFirst = true;
      world.upstream.respond = (request, response) => {
        if (isFirst) response.writeHead(401).end();
        else world.upstream.respondTruly(request, response);
        isFirst = false;
      };
      for (let i = 0; i < 20; i += 1) {
        expect(tokens.recall(SECRET)).to.have.property('token');
        await sleep(5);
      }
      expect(isFirst).to.equal(false);
    });

    it('are kept by the answers to these checks, even if Unleash answers nothing else', async () => {
      tokens = world.open({ tokensKeptMs: 1000 }, { checkMs: 10 });
      expect(await judge(tokens)).to.have.property('token');
      world.upstream.respond = (request, response) => {
        if (request.method === 'HEAD') world.upstream.respondTruly(request, response);
        else response.writeHead(500).end();
      };
      await expectKept(1300);
    });

    it('stay valid if Unleash answers 403 because of their type', async () => {
      world.upstream.create('*:production.frontend', { type: 'frontend' });
      for (let i = 0; i < 10; i += 1) {
        expect(await judge(tokens, '*:production.frontend')).to.have.property('token');
        await sleep(10);
      }
      expect(world.upstream.asked()).to.include('HEAD /api/client/features');
    });

    it('are checked with the tag of the last answer and with their own secret', async () => {
      // Not simply the second check: on a busy machine it may begin before the first has its answer.
      const checks = await eventually(
        async () => {
          await judge(tokens);
          return world.upstream.requests.filter(({ headers }) => headers['if-none-match'] !== undefined);
        },
        ({ length }) => length > 0,
      );
      expect(checks[0]?.headers).to.include({ authorization: SECRET, 'if-none-match': '"features"' });
    });

    it('do not wait for the answers of these checks', async () => {
      expect(await judge(tokens)).to.have.property('token');
      world.upstream.respond = () => undefined;
      await sleep(20);
      expect(tokens.recall(SECRET)).to.have.property('token');
      expect(tokens.recall(SECRET)).to.have.property('token');
    });
  });

  describe('with the list of tokens', () => {
    beforeEach(() => {
      tokens = world.open({ adminToken: world.upstream.adminToken }, { listMs: 10, unknownMs: 20 });
    });

    it('are unknown soon after their deletion, without separate checks', async () => {
      expect(await judge(tokens)).to.have.property('token');
      await untilListed();
      world.upstream.delete(SECRET);
      await eventually(look, (verification) => verification === 'unknown');
      await sleep(60);
      expect(await judge(tokens)).to.equal('unknown');
      expect(world.upstream.asked()).not.to.include('HEAD /api/client/features');
    });

    it('are kept by the list, without separate checks', async () => {
      const { adminToken } = world.upstream;
      tokens = world.open({ adminToken, tokensKeptMs: 1000 }, { listMs: 10, checkMs: 800 });
      expect(await judge(tokens)).to.have.property('token');
      await expectKept(1300);
      expect(world.upstream.asked()).not.to.include('HEAD /api/client/features');
    });

    it('are recognised by the list even if /edge/validate does not know them yet', async () => {
      await judge(tokens, '*:production.first');
      world.upstream.respond = (request, response) => {
        if (request.path === '/edge/validate') answerJson(response, { tokens: [] });
        else world.upstream.respondTruly(request, response);
      };
      world.upstream.create('*:production.new', { type: 'backend', projects: ['a', 'b'] });
      const verification = await eventually(
        () => judge(tokens, '*:production.new'),
        (found) => typeof found === 'object',
      );
      expect(verification).to.have.property('token').that.includes({ type: 'client' });
    });

    it('stay valid if the list comes from a server that does not know our own token', async () => {
      expect(await judge(tokens)).to.have.property('token');
      await untilListed();
      world.upstream.respond = (request, response) => {
        if (request.path === '/api/admin/api-tokens') answerJson(response, { tokens: [] });
        else world.upstream.respondTruly(request, response);
      };
      await untilListed();
      await untilListed();
      expect(await judge(tokens)).to.have.property('token');
    });

    it('are checked one by one if they never were in the list', async () => {
      tokens = world.open({ adminToken: world.upstream.adminToken }, { listMs: 10, checkMs: 10 });
      world.upstream.respond = (request, response) => {
        const isList = request.path === '/api/admin/api-tokens';
        if (isList) answerJson(response, { tokens: [adminAlone] });
        else world.upstream.respondTruly(request, response);
      };
      const adminAlone = {
        secret: world.upstream.adminToken,
        type: 'admin',
        environment: '*',
        projects: ['*'],
      };
      expect(await judge(tokens)).to.have.property('token');
      await untilListed();
      world.upstream.delete(SECRET);
      await eventually(look, (verification) => verification === 'unknown');
    });

    /** Waits until the list was read and applied once more. */
    async function untilListed(): Promise<void> {
      const count = (): number =>
        world.upstream.asked().filter((asked) => asked.includes('api-tokens')).length;
      const before = count();
      await eventually(
        () => Promise.resolve(count()),
        (now) => now > before + 1,
      );
    }
  });
});

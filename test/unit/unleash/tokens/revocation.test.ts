import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { UnleashTokens } from '#unleash/tokens';
import { setClockByHand } from '../../../support/clock/set-clock.ts';
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
      let answered = 0;
      world.upstream.respond = (request, response) => {
        if (answered === 0) response.writeHead(401).end();
        else world.upstream.respondTruly(request, response);
        answered += 1;
      };
      while (answered < 4) {
        expect(tokens.recall(SECRET)).to.have.property('token');
        await sleep(5);
      }
    });

    it('stay valid if Unleash answers 403 because of their type', async () => {
      world.upstream.create('*:production.frontend', { type: 'frontend' });
      const checks = () => world.upstream.asked().filter((asked) => asked === 'HEAD /api/client/features');
      while (checks().length < 4) {
        expect(await judge(tokens, '*:production.frontend')).to.have.property('token');
        await sleep(10);
      }
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
  });

  describe('that are kept for an hour', () => {
    const clock = setClockByHand();
    const keptMs = 3_600_000;

    /** For longer than an hour. The clock goes on when Unleash has answered. */
    async function expectKept(): Promise<void> {
      for (let step = 0; step < 3; step += 1)
        await eventually(
          () => {
            clock.advance(0.6 * keptMs);
            const known = tokens.recall(SECRET);
            if (known === undefined) clock.advance(-0.6 * keptMs);
            return Promise.resolve(known);
          },
          (known) => known !== undefined,
        );
      clock.advance(1.1 * keptMs);
      expect(tokens.recall(SECRET)).to.equal(undefined);
    }

    it('are kept by the answers to separate checks, even if Unleash answers nothing else', async () => {
      tokens = world.open({ tokensKeptMs: keptMs }, { checkMs: keptMs / 2 });
      expect(await judge(tokens)).to.have.property('token');
      world.upstream.respond = (request, response) => {
        if (request.method === 'HEAD') world.upstream.respondTruly(request, response);
        else response.writeHead(500).end();
      };
      await expectKept();
      expect(world.upstream.asked()).to.include('HEAD /api/client/features');
    });

    it('are kept by the list, without separate checks', async () => {
      const { adminToken } = world.upstream;
      tokens = world.open({ adminToken, tokensKeptMs: keptMs }, { listMs: 10, checkMs: keptMs });
      expect(await judge(tokens)).to.have.property('token');
      await expectKept();
      expect(world.upstream.asked()).not.to.include('HEAD /api/client/features');
    });
  });

  /** Waits until the list was read and applied once more. */
  async function untilListed(): Promise<void> {
    const count = (): number => world.upstream.asked().filter((asked) => asked.includes('api-tokens')).length;
    const before = count();
    await eventually(
      () => Promise.resolve(count()),
      (now) => now > before + 1,
    );
  }
});

import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { bodyOf, post } from '../../support/requests/post.ts';
import { OTHER_CLIENT_TOKEN } from '../../support/world.ts';
import type { Front } from './front.ts';

/** Unleash itself rejects a deleted token within a minute; more on a busy machine. */
const DELETED_WITHIN_MS = 70_000;
/** We ask every ten seconds, and once more. */
const FOLLOWED_WITHIN_MS = 20_000;
const LISTED_WITHIN_MS = 30_000;

export function testTokens(front: () => Front): void {
  let unleash: Front['unleash'];
  let ingest: Service;
  /** This process reads the list of tokens, too. */
  let informed: Service;
  let doomed: string;
  before(async () => {
    ({ unleash, flagmeter: ingest } = front());
    informed = await front().world.run((config, log) =>
      startIngest({ ...config, unleash: config.unleash && withAdminToken(config.unleash) }, log),
    );
    // The process reads the list from the first request on. The list must contain the token before it loses it.
    doomed = await unleash.createToken();
    expect([await statusOf(ingest, doomed), await statusOf(informed, doomed)]).to.deep.equal([202, 202]);
  });

  function withAdminToken<T extends object>(settings: T): T & { adminToken: string } {
    return { ...settings, adminToken: unleash.secrets.admin };
  }

  async function validate(url: string, tokens: readonly string[]): Promise<unknown> {
    const body = JSON.stringify({ tokens });
    return JSON.parse((await post({ url }, { path: '/edge/validate', authorization: '', body })).text);
  }

  it('are judged by their type', async () => {
    const { admin, production, frontend } = unleash.secrets;
    expect(await statusOf(ingest, production)).to.equal(202);
    expect(await statusOf(ingest, await unleash.createToken({ type: 'backend' }))).to.equal(202);
    expect(
      await statusOf(ingest, await unleash.createToken({ type: 'client', projects: ['default'] })),
    ).to.equal(202);
    expect(await statusOf(ingest, admin)).to.equal(202);
    expect(await statusOf(ingest, frontend)).to.equal(403);
    expect(await statusOf(ingest, '*:production.unknown')).to.equal(401);
    expect(await statusOf(ingest, OTHER_CLIENT_TOKEN)).to.equal(202);
  });

  it('get the same validation as from Unleash', async () => {
    const tokens = [...Object.values(unleash.secrets), await unleash.createToken({ projects: ['default'] })];
    expect(await validate(ingest.url, tokens)).to.deep.equal(await validate(unleash.address, tokens));
  });

  itNightly(
    'are rejected soon after Unleash rejects them, and within 30 s by a process that reads the list of tokens',
    async () => {
      const kept = await unleash.createToken();
      await unleash.deleteToken(doomed);
      await eventually(
        () => statusOf(informed, doomed),
        (status) => status === 401,
        LISTED_WITHIN_MS,
      );
      const [byUnleash, byFlagmeter] = await Promise.all([
        whenRejected(() => featuresStatusOf(doomed)),
        whenRejected(() => statusOf(ingest, doomed)),
      ]);
      expect(byFlagmeter - byUnleash).to.be.lessThan(FOLLOWED_WITHIN_MS);
      expect([await statusOf(ingest, kept), await statusOf(informed, kept)]).to.deep.equal([202, 202]);
    },
  );

  async function featuresStatusOf(authorization: string): Promise<number> {
    const answer = await fetch(`${unleash.address}/api/client/features`, { headers: { authorization } });
    await answer.arrayBuffer();
    return answer.status;
  }

  /** Epoch milliseconds. */
  async function whenRejected(look: () => Promise<number>): Promise<number> {
    await eventually(look, (status) => status === 401, DELETED_WITHIN_MS + FOLLOWED_WITHIN_MS);
    return Date.now();
  }
}

/** Ends Unleash, and starts it again. */
export function testTokensWhileAway(front: () => Front): void {
  it('remain valid while Unleash is frozen or down; new ones get 503 until it is back', async () => {
    const { unleash, flagmeter } = front();
    const { production } = unleash.secrets;
    const fresh = await unleash.createToken();
    expect(await statusOf(flagmeter, production)).to.equal(202);
    await unleash.freeze();
    expect(await statusOf(flagmeter, production)).to.equal(202);
    expect(await statusOf(flagmeter, '*:production.frozen')).to.equal(503);
    unleash.thaw();
    await unleash.kill();
    expect(await statusOf(flagmeter, production)).to.equal(202);
    expect(await statusOf(flagmeter, OTHER_CLIENT_TOKEN)).to.equal(202);
    expect(await statusOf(flagmeter, fresh)).to.equal(503);
    await unleash.restart();
    await eventually(
      () => statusOf(flagmeter, fresh),
      (status) => status === 202,
    );
  });
}

async function statusOf(service: Service, authorization: string): Promise<number> {
  return (await post(service, { authorization, body: bodyOf() })).status;
}

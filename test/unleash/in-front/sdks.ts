import { expect } from 'chai';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../support/eventually.ts';
import { startFrontendSdk } from '../../support/senders/sdks/frontend-sdk.ts';
import { type NodeSdk, type NodeSdkOptions, startNodeSdk } from '../../support/senders/sdks/node-sdk.ts';
import { usageOf } from '../../support/stories/counting.ts';
import type { Front } from './front.ts';

export const GRADUAL = {
  name: 'flexibleRollout',
  parameters: { rollout: '50', stickiness: 'userId', groupId: 'gradual' },
  variants: [
    { name: 'blue', weight: 500, weightType: 'variable', stickiness: 'userId' },
    { name: 'green', weight: 500, weightType: 'variable', stickiness: 'userId' },
  ],
};

const MODES = ['polling', 'streaming'] as const;

export function testSdks(front: () => Front): void {
  let unleash: Front['unleash'];
  let world: Front['world'];
  let flagmeter: Front['flagmeter'];
  const sdks: NodeSdk[] = [];
  before(async () => {
    ({ unleash, world, flagmeter } = front());
    await unleash.createFeature('checkout');
    for (const mode of MODES) await unleash.createFeature(`gradual-${mode}`, [GRADUAL]);
    for (const mode of MODES) await unleash.createFeature(`on-${mode}`);
    await unleash.untilServed(`on-${MODES[1]}`);
  });
  // Until then they poll.
  afterEach(() => Promise.all(sdks.splice(0).map((sdk) => sdk.dispose())));

  async function openSdk(options: NodeSdkOptions): Promise<NodeSdk> {
    const sdk = await startNodeSdk(options);
    sdks.push(sdk);
    return sdk;
  }

  for (const mode of MODES) {
    it(`evaluates features like one that is connected to Unleash, and its counts are exact (${mode})`, async () => {
      const secret = await unleash.createToken();
      const direct = await openSdk({ url: unleash.address, secret });
      const sdk = await openSdk({ url: flagmeter.url, secret, mode });
      const [on, gradual] = [`on-${mode}`, `gradual-${mode}`];
      for (let i = 0; i < 70; i += 1) expect(sdk.isEnabled(on)).to.equal(true);
      const users = Array.from({ length: 100 }, (_item, index) => `user-${index}`);
      const enabled = users.filter((user) => sdk.isEnabled(gradual, user));
      expect(enabled).to.deep.equal(users.filter((user) => direct.isEnabled(gradual, user)));
      const variants = users.map((user) => sdk.variantOf(gradual, user));
      expect(variants).to.deep.equal(users.map((user) => direct.variantOf(gradual, user)));

      await sdk.flush();
      await untilCounted(world);

      expect(await usageOf(world, on)).to.include({ yes: 70, no: 0 });
      // Requesting a variant is an evaluation too.
      const [yes, no] = [2 * enabled.length, 2 * (users.length - enabled.length)];
      expect(await usageOf(world, gradual)).to.include({ yes, no });
      expect(await variantsOf(gradual)).to.deep.equal(sumsOf(variants));
    });
  }

  it('sees a change at one of its next polls', async () => {
    const sdk = await openSdk({ url: flagmeter.url, secret: unleash.secrets.production });
    expect(sdk.isEnabled('new-feature')).to.equal(false);
    await unleash.createFeature('new-feature');
    await eventually(() => Promise.resolve(sdk.isEnabled('new-feature')), Boolean);
    expect(sdk.warnings).to.deep.equal([]);
  });

  it('goes on evaluating and counting while Unleash is frozen', async () => {
    const sdk = await openSdk({ url: flagmeter.url, secret: unleash.secrets.production });
    const before = await usageOf(world, 'checkout');
    expect(sdk.isEnabled('checkout')).to.equal(true);
    await sdk.flush();
    await unleash.freeze();
    try {
      for (let i = 0; i < 20; i += 1) expect(sdk.isEnabled('checkout')).to.equal(true);
      await sdk.flush();
      await untilCounted(world);
      expect((await usageOf(world, 'checkout')).yes - before.yes).to.equal(21);
    } finally {
      unleash.thaw();
    }
  });

  it('evaluates and counts in a browser too', async () => {
    const sdk = await startFrontendSdk(flagmeter.url, unleash.secrets.frontend);
    const before = await usageOf(world, 'checkout');
    for (let i = 0; i < 30; i += 1) expect(sdk.isEnabled('checkout')).to.equal(true);
    await sdk.flush();
    await untilCounted(world);
    expect((await usageOf(world, 'checkout')).yes - before.yes).to.equal(30);
    expect(sdk.errors).to.deep.equal([]);
  });

  it('may send requests from the pages that Unleash allows, and may read the answer', async () => {
    const url = `${flagmeter.url}/api/frontend/client/metrics`;
    const origin = 'https://shop.example';
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).to.equal('*');
    expect(preflight.headers.get('access-control-allow-headers')).to.match(/authorization/i);
    const rejected = await fetch(url, {
      method: 'POST',
      headers: { origin, authorization: unleash.secrets.production, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(rejected.status).to.equal(403);
    expect(rejected.headers.get('access-control-allow-origin')).to.equal('*');
  });

  it('gets the answer of Unleash for a wrong token', async () => {
    const headers = { authorization: '*:production.wrong' };
    const ours = await fetch(`${flagmeter.url}/api/client/features`, { headers });
    const theirs = await fetch(`${unleash.address}/api/client/features`, { headers });
    expect(ours.status).to.equal(401).and.to.equal(theirs.status);
    expect(await ours.json()).to.have.keys(Object.keys((await theirs.json()) as object));
  });

  /** Stored counts by variant. */
  async function variantsOf(feature: string): Promise<Record<string, number>> {
    const rows = await world.query<{ variant: string; sum: string }>(
      `select variant, sum(count) as sum
       from variants_by_hour
       where feature_name = {feature:String}
       group by variant`,
      { feature },
    );
    return Object.fromEntries(rows.map(({ variant, sum }) => [variant, Number(sum)]));
  }
}

function sumsOf(names: readonly string[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const name of names) sums[name] = (sums[name] ?? 0) + 1;
  return sums;
}

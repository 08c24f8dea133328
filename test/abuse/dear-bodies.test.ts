import { expect } from 'chai';
import { releaseCanary } from '../support/canary.ts';
import { push } from '../support/load.ts';
import { aFreshMetric, bodyOf, post } from '../support/post.ts';
import type { ServiceProcess } from '../support/process.ts';
import { OTHER_CLIENT_TOKEN, type World, createWorld } from '../support/world.ts';

const CONNECTIONS = 24;
const BATCHES = 60;
/** So that what large bodies always need is no rise. */
const WARM_UP = 60;

/** 8,000 variants of one feature, in the 80 metrics that may name 100 each. */
const DEAREST = bodyOf({
  metrics: Array.from({ length: 80 }, (_, metric) =>
    aFreshMetric({
      environment: 'development',
      variants: Object.fromEntries(Array.from({ length: 100 }, (_each, at) => [`v${metric * 100 + at}`, 1])),
    }),
  ),
});

describe('a token whose bodies are as dear as can be', () => {
  let world: World;
  let front: ServiceProcess;

  before(async () => {
    world = await createWorld();
    front = await world.fork('ingest');
  });
  after(() => world.dispose());

  it('costs other relays nothing', async () => {
    for (let body = 0; body < WARM_UP; body += 1)
      await push({ url: front.url, body: DEAREST, token: OTHER_CLIENT_TOKEN });
    const canary = await releaseCanary(front);
    const attack = { isOver: false };
    const answers = new Set<unknown>();
    const attackers = Array.from({ length: CONNECTIONS }, async () => {
      while (!attack.isOver) {
        const answer = await push({ url: front.url, body: DEAREST, token: OTHER_CLIENT_TOKEN });
        answers.add(typeof answer === 'string' ? answer : answer.status);
      }
    });
    await canary.answered(BATCHES);
    attack.isOver = true;
    await Promise.all(attackers);

    await canary.expectUnharmed();
    expect([...answers]).to.deep.equal([202]);
  });

  it('may send so many in a minute, unless somebody says otherwise', async () => {
    const { headers } = await post(front);
    expect(headers.get('ratelimit-limit')).to.equal('30000');
  });
});

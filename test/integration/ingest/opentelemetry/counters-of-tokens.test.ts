import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { createSecret } from '#base/tokens';
import { untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { metricsBody } from '../../../support/senders/otlp/otlp-bodies.ts';
import { post } from '../../../support/requests/post.ts';
import { startCounting, usageOf } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

const RIGHTS = { type: 'client', environment: 'production', projects: [], expiresAt: undefined } as const;
const RESOURCE = { 'service.name': 'shop', 'service.instance.id': 'one' };
const MS = 1_000_000n;
const STARTED = BigInt(Date.now()) * MS;

describe('cumulative counters', () => {
  const world = sharedWorld();

  it('of tokens are apart, and a successor continues those of its token', async () => {
    const ingest = await startCounting(world);
    const aToken = async (successorOf?: string) => {
      const secret = createSecret([], 'production');
      const provenance = successorOf === undefined ? {} : { successorOf };
      const token = await createTokens(world.db).create({ secret, name: 'counters', ...RIGHTS }, provenance);
      return { secret, id: token?.id };
    };
    const [first, stranger] = [await aToken(), await aToken()];
    const second = await aToken(first.id);
    const third = await aToken(second.id);
    const values = [
      [first, 10n],
      [stranger, 3n],
      [first, 15n],
      [second, 20n],
      [third, 30n],
    ] as const;
    for (const [index, [{ secret }, int]] of values.entries()) {
      const answer = await post(ingest, {
        path: '/v1/metrics',
        authorization: secret,
        body: bodyOf(int, STARTED + BigInt(index + 1) * MS),
      });
      expect(answer).to.include({ status: 200, text: '{}' });
    }
    await untilCounted(world);
    expect(await usageOf(world, 'basket')).to.include({ yes: 30 + 3 });
  });
});

function bodyOf(int: bigint, time: bigint): string {
  const metric = {
    name: 'feature_flag.evaluations',
    kind: 'sum',
    temporality: 2,
    isMonotonic: true,
    points: [{ start: STARTED, time, int, attributes: { key: 'basket', variant: 'on' } }],
  } as const;
  return metricsBody([{ resource: RESOURCE, metrics: [metric] }]).json;
}

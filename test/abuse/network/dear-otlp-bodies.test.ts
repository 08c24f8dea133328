import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { attackedIngest } from '../../support/attacks/attacked-ingest.ts';
import { releaseCanary } from '../../support/attacks/canary/canary.ts';
import { eventually } from '../../support/eventually.ts';
import { type Encoded, logsBody, metricsBody } from '../../support/senders/otlp/otlp-bodies.ts';
import { describeNightly } from '../../support/nightly.ts';
import { type Post, post } from '../../support/requests/post.ts';
import { OTHER_CLIENT_TOKEN } from '../../support/world.ts';

const CONNECTIONS = 12;
/** Of the canary. */
const BATCHES = 100;
const WARM_UP = 10;
/** Compiled code and caches. Meanwhile the objects of 1 MiB of JSON take up to 200 MiB. */
const MAX_LEFT = 10 * 1024 * 1024;
const NOW = BigInt(Date.now()) * 1_000_000n;

describeNightly('a token that sends the most expensive bodies of OpenTelemetry', () => {
  const attacked = attackedIngest();
  const bodies = dearestBodies();
  const attack = async (round: number): Promise<number> =>
    (await post(attacked.ingest, { authorization: OTHER_CLIENT_TOKEN, ...bodies[round % bodies.length] }))
      .status;

  it('costs other relays nothing', async () => {
    for (let round = 0; round < WARM_UP; round += 1) await attack(round);
    const before = await attacked.ingest.readHeldMemory();
    const canary = await releaseCanary(attacked.ingest);
    let isOver = false;
    const answers = new Set<number>();
    const attackers = Array.from({ length: CONNECTIONS }, async (_, first) => {
      for (let round = first; !isOver; round += 1) answers.add(await attack(round));
    });
    await canary.answered(BATCHES);
    isOver = true;
    await Promise.all(attackers);

    await canary.expectAnswered();
    await eventually(
      async () => (await attacked.ingest.readHeldMemory()) - before,
      (left) => left < MAX_LEFT,
    );
    expect([...answers]).to.have.members([200, 400, 413]);
  });
});

/** The JSON form of points is longer. */
function dearestBodies(): readonly Partial<Post>[] {
  // As many evaluations as fit into the largest body, each of another flag and variant.
  const records = logsBody([
    {
      records: Array.from({ length: 10_000 }, (_, index) => ({
        time: NOW,
        name: 'feature_flag',
        attributes: { key: `flag-${index % 5000}`, variant: `variant-${index % 100}` },
      })),
    },
  ]);
  // Empty points, because more of them fit into a body.
  const points = metricsBody([
    {
      metrics: [
        {
          name: 'feature_flag.evaluations',
          kind: 'sum',
          temporality: 1,
          isMonotonic: true,
          points: Array.from({ length: 500_000 }, () => ({})),
        },
      ],
    },
  ]);
  return [
    { path: '/v1/logs', ...protobufOf(records) },
    { path: '/v1/metrics', ...protobufOf(points) },
    { path: '/v1/logs', body: `{"resourceLogs":[${'{},'.repeat(340_000)}{}]}` },
    { path: '/v1/logs', body: `${'['.repeat(500_000)}${']'.repeat(500_000)}` },
  ];
}

function protobufOf({ protobuf }: Encoded): Partial<Post> {
  return {
    contentType: 'application/x-protobuf',
    body: new Uint8Array(gzipSync(protobuf)),
    headers: { 'content-encoding': 'gzip' },
  };
}

import { expect } from 'chai';
import type { Application, Metric } from '#core/counting';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../support/eventually.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { sharedCounting, usageOf } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

const LONG = 'x'.repeat(300);
const INSTANCES = 12_000;

/**
 * Unleash 8.2.0 answers 202 to these requests, and then loses them and data of other senders
 * (docs/develop/unleash.md#what-unleash-loses-or-counts-twice).
 */
const POISONS: readonly {
  readonly title: string;
  readonly metric?: Partial<Metric>;
  readonly application?: Application;
  /** The outcome of the metric itself. */
  readonly counted: number;
}[] = [
  { title: 'a metric without a timestamp', counted: 1 },
  { title: 'an application name of 300 characters', metric: { appName: LONG }, counted: 0 },
  { title: 'a NUL in an application name', metric: { appName: 'a\0b' }, counted: 0 },
  { title: 'three billion of a variant', metric: { variants: { blue: 3_000_000_000 } }, counted: 1 },
  { title: 'a registration with a name of 300 characters', application: { appName: LONG }, counted: 1 },
  { title: 'a metric of 1867', metric: { timestamp: '1867-07-01T00:00:00Z' }, counted: 0 },
  { title: 'a metric of 2099', metric: { timestamp: '2099-01-01T00:00:00Z' }, counted: 0 },
];

describe('data that Unleash loses', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);
  after(() => world.settled());

  it('affects nobody else here, all of it at once', async () => {
    const bodies = POISONS.flatMap(({ metric = {}, application = { appName: 'shop' } }, index) => [
      bodyOf({
        applications: [application, { appName: `neighbour-${index}` }],
        metrics: [
          aFreshMetric({ featureName: `poison-${index}`, yes: 1, ...metric }),
          aFreshMetric({ featureName: `neighbour-${index}`, yes: 3, variants: { blue: 2 } }),
        ],
      }),
      bodyOf({ metrics: [aFreshMetric({ featureName: `neighbour-${index}`, yes: 4 })] }),
    ]);
    const untimed = bodies.map((body) => body.replaceAll('"timestamp":null,', ''));
    const answers = await Promise.all(untimed.map((body) => post(ingest, { body })));
    expect(answers.map(({ status }) => status)).to.deep.equal(bodies.map(() => 202));
    await untilCounted(world);
  });

  for (const [index, { title, counted }] of POISONS.entries()) {
    it(`is ${counted === 1 ? 'counted' : 'refused'} alone: ${title}`, async () => {
      expect(await usageOf(world, `poison-${index}`)).to.deep.equal({
        yes: counted,
        no: 0,
        reports: counted,
      });
      expect(await usageOf(world, `neighbour-${index}`)).to.deep.equal({ yes: 7, no: 0, reports: 2 });
      await eventually(
        () => world.db.query('select 1 from client_applications where app_name = $1', [`neighbour-${index}`]),
        ({ rowCount }) => rowCount === 1,
      );
    });
  }

  it('is counted to the last evaluation: three billion of a variant', async () => {
    const rows = await world.query(
      "select toString(v.count) as served from variants_by_hour as v where feature_name = 'poison-3'",
    );
    expect(rows).to.deep.equal([{ served: '3000000000' }]);
  });

  it(`is kept: ${INSTANCES} instances at once`, async () => {
    const ids = Array.from({ length: INSTANCES }, (_, index) => `instance-${index}`);
    const bodies = Array.from({ length: 12 }, (_, index) =>
      bodyOf({
        applications: ids
          .slice(index * 1000, (index + 1) * 1000)
          .map((instanceId) => ({ appName: 'fleet', instanceId })),
      }),
    );
    const answers = await Promise.all(bodies.map((body) => post(ingest, { body })));
    expect(answers.map(({ status }) => status)).to.deep.equal(bodies.map(() => 202));
    await eventually(
      () =>
        world.db.query<{ count: number }>(
          "select count(*)::int as count from client_instances where app_name = 'fleet'",
        ),
      ({ rows: [row] }) => row?.count === INSTANCES,
    );
  });

  it('is counted once: the same body twice', async () => {
    const request = {
      body: bodyOf({ metrics: [aFreshMetric({ featureName: 'twice', yes: 1 })] }),
      headers: { 'idempotency-key': 'one-batch' },
    };
    expect((await post(ingest, request)).status).to.equal(202);
    expect((await post(ingest, request)).status).to.equal(202);
    await untilCounted(world);
    expect(await usageOf(world, 'twice')).to.deep.equal({ yes: 1, no: 0, reports: 1 });
  });

  it('is rejected as a whole: a good metric beside an invalid application', async () => {
    const good = JSON.stringify(aFreshMetric({ featureName: 'half', yes: 7 }));
    const body = `{"applications":[{"appName":"a","started":7}],"metrics":[${good}]}`;
    expect((await post(ingest, { body })).status).to.equal(400);
    await untilCounted(world);
    expect(await usageOf(world, 'half')).to.deep.equal({ yes: 0, no: 0, reports: 0 });
  });

  it('is stored: batches acknowledged right before a SIGTERM', async () => {
    const leaving = await world.fork('ingest');
    const body = bodyOf({ metrics: [aFreshMetric({ featureName: 'last', yes: 1 })] });
    const answers = Promise.all(Array.from({ length: 20 }, () => post(leaving, { body })));
    expect((await answers).map(({ status }) => status)).to.deep.equal(Array.from({ length: 20 }, () => 202));
    await leaving.stop();
    await untilCounted(world);
    expect(await usageOf(world, 'last')).to.deep.equal({ yes: 20, no: 0, reports: 20 });
  });
});

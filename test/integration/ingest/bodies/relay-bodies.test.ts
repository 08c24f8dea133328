import { expect } from 'chai';
import { readTopic } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { sharedCounting, usageOf } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

const SEEN_TOKEN = '*:production.0123456789abcdef';
const HOUR = new Date().toISOString().slice(0, 13);

/** Two bodies of Unleash Edge (docs/develop/unleash.md#pushes-of-edge), unchanged except for the hour of the test. */
const EXAMPLE_A = `{"applications":[{"appName":"checkout-api","connectVia":[{"appName":"unleash-edge","instanceId":"01K3EDGE0000000000000000AA"}],"environment":"production","projects":["default","payments"],"instanceId":"checkout-api-7d9f","connectionId":"0b0f4c1e-1111-4222-8333-444455556666","interval":15000,"started":"2026-08-21T09:59:12.348217Z","strategies":["default","flexibleRollout"],"sdkVersion":"unleash-client-node:6.7.0","sdkType":"backend","yggdrasilVersion":null,"platformName":"node","platformVersion":"v22.9.0"}],"metrics":[{"featureName":"basket-a","appName":"checkout-api","environment":"production","timestamp":"${HOUR}:01:03.120Z","yes":812,"no":41,"variants":{"blue":410,"red":402},"sdkVersion":null,"sdkType":null,"yggdrasilVersion":null,"platformName":null,"platformVersion":null}],"seenTokens":["${SEEN_TOKEN}"]}`;
const EXAMPLE_B = `{"applications":[],"metrics":[{"featureName":"basket-b","appName":"web-shop","environment":"production","timestamp":"${HOUR}:00:00Z","yes":5,"no":0,"variants":{},"sdkVersion":"unleash-client-js:4.1.2","sdkType":"frontend","yggdrasilVersion":null,"platformName":null,"platformVersion":null},{"featureName":"basket-b","appName":"web-shop","environment":"production","timestamp":"${HOUR}:00:30.5Z","yes":2,"no":9,"variants":{"disabled":9},"sdkVersion":null,"sdkType":null,"yggdrasilVersion":null,"platformName":null,"platformVersion":null}],"impactMetrics":[{"type":"counter","name":"orders","help":"orders placed","samples":[{"value":3.0,"labels":{"appName":"web-shop"}}]}]}`;

/** Every optional member is null, and there are unknown members (docs/develop/unleash.md#pushes-of-edge). */
const NULLS = `{"applications":[{"appName":"nulls","connectVia":null,"environment":null,"projects":null,"instanceId":null,"connectionId":null,"interval":null,"started":null,"strategies":null,"sdkVersion":null,"sdkType":null,"yggdrasilVersion":null,"platformName":null,"platformVersion":null,"sdkFlavor":null,"tomorrow":{"a":[1]}}],"metrics":[{"featureName":"nulls","appName":"nulls","environment":"production","timestamp":null,"yes":null,"no":null,"variants":null,"sdkVersion":null,"sdkType":null,"yggdrasilVersion":null,"platformName":null,"platformVersion":null,"tomorrow":true},{"featureName":"nulls","appName":"nulls","environment":"production","yes":1e1,"no":2.0,"variants":{"a":null,"b":3}}],"impactMetrics":null,"seenTokens":null,"tomorrow":null}`;

/** Keys with a meaning for JavaScript objects are ordinary names. */
const PROTOTYPES = `{"applications":[],"metrics":[{"featureName":"prototypes","appName":"__proto__","environment":"production","yes":4,"variants":{"__proto__":3,"constructor":1}}]}`;

/** Edge counts in 32 bits without a sign. The schema accepts up to 2^53-1. */
const GREAT = bodyOf({
  metrics: [
    aFreshMetric({ featureName: 'great', yes: 4_294_967_295, no: Number.MAX_SAFE_INTEGER }),
    aFreshMetric({ featureName: 'great', yes: 4_294_967_295, no: 1 }),
  ],
});

describe('a body of a relay', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);
  before(async () => {
    for (const body of [EXAMPLE_A, EXAMPLE_B, NULLS, PROTOTYPES, GREAT]) {
      expect((await post(ingest, { path: '/api/client/metrics/bulk', body })).status).to.equal(202);
    }
    await world.settled();
  });

  it('is counted: a small push', async () => {
    expect(await usageOf(world, 'basket-a')).to.deep.equal({ yes: 812, no: 41, reports: 1 });
    expect(await variantsOf('basket-a')).to.deep.equal({ blue: 410, red: 402 });
  });

  it('is counted: two metrics of the same hour', async () => {
    expect(await usageOf(world, 'basket-b')).to.deep.equal({ yes: 7, no: 9, reports: 2 });
    expect(await variantsOf('basket-b')).to.deep.equal({ disabled: 9 });
  });

  it('is counted in the hour of the metric', async () => {
    const hours = await world.query(
      "select distinct formatDateTime(hour, '%Y-%m-%dT%H') as hour from usage_by_hour where feature_name like 'basket-%'",
    );
    expect(hours).to.deep.equal([{ hour: HOUR }]);
  });

  it('is counted if every optional member is null', async () => {
    expect(await usageOf(world, 'nulls')).to.deep.equal({ yes: 10, no: 2, reports: 2 });
    expect(await variantsOf('nulls')).to.deep.equal({ b: 3 });
  });

  it('is counted under names that are members of every object', async () => {
    const expected = new Map([
      ['__proto__', 3],
      ['constructor', 1],
    ]);
    expect(await variantsOf('prototypes')).to.deep.equal(Object.fromEntries(expected));
    expect(await usageOf(world, 'prototypes')).to.deep.equal({ yes: 4, no: 0, reports: 1 });
  });

  it('is counted to the last evaluation, however large the counts', async () => {
    const rows = await world.query("select yes, no from usage_by_hour where feature_name = 'great'");
    expect(rows).to.deep.equal([{ yes: '8589934590', no: '9007199254740992' }]);
  });

  it('leaves no secret of an SDK in Kafka or Postgres', async () => {
    const { counts, applications } = world.config.kafka.topics;
    const messages = [...(await readTopic(world, counts)), ...(await readTopic(world, applications))];
    expect(messages).not.to.have.length(0);
    for (const { value } of messages) expect(String(value)).not.to.include(SEEN_TOKEN.slice(-16));
    const { rows } = await world.db.query('select * from client_applications');
    expect(JSON.stringify(rows)).not.to.include(SEEN_TOKEN.slice(-16));
  });

  async function variantsOf(featureName: string): Promise<Record<string, number>> {
    const rows = await world.query<{ variant: string; served: number }>(
      `select variant, toUInt32(sum(v.count)) as served
       from variants_by_hour as v
       where feature_name = {featureName:String}
       group by variant
       order by variant`,
      { featureName },
    );
    return Object.fromEntries(rows.map(({ variant, served }) => [variant, served]));
  }
});

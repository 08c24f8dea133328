import { expect } from 'chai';
import { freePort } from '../../../tools/stack/index.ts';
import { eventually } from '../../support/eventually.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { sharedIngest } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

describe('the counter of Unleash', () => {
  const world = sharedWorld();
  const ingest = sharedIngest(world);

  it('shows what a worker stored, as far as its series go', async () => {
    const port = await freePort();
    await world.fork('worker', { FLAG_USAGE_SERIES: '2', OPS_PORT: String(port) });
    const counters = (): Promise<string[]> => countersOf(`http://127.0.0.1:${port}/metrics`);
    await count({ featureName: 'basket', appName: 'shop', yes: 3, no: 1 });
    await eventually(counters, (lines) => lines.length > 1);
    await count({ featureName: 'search', appName: 'shop', yes: 5, no: 0 });
    await count({ featureName: 'basket', appName: 'shop', yes: 4, no: 0 });

    const expected = [
      'flagmeter_worker_usage_beyond_series_total 5',
      'feature_toggle_usage_total{toggle="basket",active="true",appName="shop"} 7',
      'feature_toggle_usage_total{toggle="basket",active="false",appName="shop"} 1',
    ];
    const found = await eventually(counters, (lines) => lines.join() === expected.join()).catch(counters);
    expect(found).to.deep.equal(expected);
  });

  it('does not exist by default', async () => {
    const { url } = await world.fork('worker');
    expect(await countersOf(`${url}/internal-backstage/prometheus`)).to.deep.equal([]);
  });

  async function count(metric: Parameters<typeof aFreshMetric>[0]): Promise<void> {
    const { status } = await post(ingest, { body: bodyOf({ metrics: [aFreshMetric(metric)] }) });
    expect(status).to.equal(202);
  }
});

async function countersOf(url: string): Promise<string[]> {
  const answer = await fetch(url);
  expect(answer.status).to.equal(200);
  const lines = (await answer.text()).split('\n');
  return lines.filter((line) => /^(feature_toggle|flagmeter_worker)_usage_/.test(line));
}

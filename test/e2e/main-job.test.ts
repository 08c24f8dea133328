import { expect } from 'chai';
import { startStandalone } from '../../services/standalone/app.ts';
import { startWorker } from '../../services/worker/index.ts';
import { eventually } from '../support/eventually.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, sharedWorld } from '../support/world.ts';

describe('the main job', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let url: string;
  before(async () => {
    ({ url } = await world.run(startStandalone));
    await world.run((config, log) => startWorker(config, log, failLoudly));
  });

  it('counts an acknowledged batch', async () => {
    const metric = { ...aMetric('counted'), yes: 3, no: 4, variants: { blue: 3 } };
    expect(await post([metric])).to.equal(202);
    const { total } = await world.settled();
    expect(total.counted).to.equal(1);
    expect(await world.query('select feature_name, app_name, yes, no from usage_by_hour')).to.deep.equal([
      { feature_name: 'counted', app_name: 'shop', yes: '3', no: '4' },
    ]);
    expect(await world.query('select variant, count from variants_by_day')).to.deep.equal([
      { variant: 'blue', count: '3' },
    ]);
  });

  it('makes an evaluation readable within three seconds of its acknowledgement', async () => {
    const delays: number[] = [];
    // The fastest of many, because the machine may be busy during some of them.
    for (let number = 0; number < 10; number += 1) delays.push(await delayOf(`flag-${number}`));
    expect(Math.min(...delays)).to.be.lessThan(3000);
  });

  it('shows the admin UI an application that it has not seen before', async () => {
    expect(await post([], [{ appName: 'new-app', strategies: ['default'] }])).to.equal(202);
    const events = await eventually(readEvents, (found) =>
      found.some(({ data }) => data.appName === 'new-app'),
    );
    expect(events.map(({ type }) => type)).to.include('application-created');
  });

  async function delayOf(featureName: string): Promise<number> {
    expect(await post([{ ...aMetric(featureName), yes: 1 }])).to.equal(202);
    const acknowledgedAt = Date.now();
    const query = 'select yes from usage_by_hour where feature_name = {featureName:String}';
    await eventually(
      () => world.query(query, { featureName }),
      (rows) => rows.length === 1,
    );
    return Date.now() - acknowledgedAt;
  }

  async function post(metrics: unknown[], applications: unknown[] = []): Promise<number> {
    const answer = await fetch(`${url}/edge/metrics`, {
      method: 'POST',
      headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({ applications, metrics }),
    });
    return answer.status;
  }

  type AnEvent = { type: string; data: { appName?: string } };

  async function readEvents(): Promise<AnEvent[]> {
    const answer = await fetch(`${url}/api/admin/events`, { headers: { authorization: ADMIN_TOKEN } });
    const { events } = (await answer.json()) as { events: AnEvent[] };
    return events;
  }
});

function aMetric(featureName: string): Record<string, unknown> {
  return { featureName, appName: 'shop', environment: 'production' };
}

function failLoudly(error: unknown): void {
  throw error;
}

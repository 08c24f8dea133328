import { expect } from 'chai';
import type { Application, Metric } from '#core/counting';
import type { SendOutcome } from '#core/kafka';
import type { Service } from '#base/runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import { untilItLasts } from '../../support/borders.ts';
import { readGauge } from '../../support/stack/processes/gauges.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import { OTHER_CLIENT_TOKEN } from '../../support/world.ts';

const STORED: SendOutcome = { outcome: 'stored' };
const SENT = 'flagmeter_ingest_registrations_total{outcome="sent"}';
const KNOWN = 'flagmeter_ingest_registrations_total{outcome="known"}';

describe('a registration that Kafka has acknowledged in this minute', () => {
  const world = sharedUncountedWorld();
  let ingest: Service;
  /** The topic of each send with its number of messages, and the outcome of the next send. */
  let sends: string[];
  let outcome: SendOutcome;

  before(async () => {
    ingest = await world.run((config, log) =>
      startIngest(config, log, {
        readPartitionCount: () => Promise.resolve(1000),
        send(topic) {
          sends.push(topic);
          const result = outcome;
          outcome = STORED;
          return Promise.resolve(result);
        },
        disconnect: () => Promise.resolve(),
      }),
    );
  });
  beforeEach(async () => {
    sends = [];
    outcome = STORED;
    await untilItLasts('minute', 10_000);
  });

  it('needs no message, and its counts are sent at once', async () => {
    await register({ appName: 'shop' });
    await register({ appName: 'shop' });
    const { applications, counts } = world.config.kafka.topics;
    expect(sends).to.deep.equal([applications, counts, counts]);
  });

  it('appears in a metric', async () => {
    const [sent, known] = [await readGauge(ingest, SENT), await readGauge(ingest, KNOWN)];
    for (const appName of ['till', 'till', 'till']) await register({ appName });
    expect([await readGauge(ingest, SENT), await readGauge(ingest, KNOWN)]).to.deep.equal([
      sent + 1,
      known + 2,
    ]);
    expect(await readGauge(ingest, 'flagmeter_ingest_known_registrations')).to.be.at.least(1);
  });

  it('is recognised beside other metrics, without being read', async () => {
    const [sent, known] = [await readGauge(ingest, SENT), await readGauge(ingest, KNOWN)];
    for (const featureName of ['one', 'two', 'three'])
      await register({ appName: 'kiosk' }, undefined, { featureName });
    expect(countOfRegistrations()).to.equal(1);
    expect([await readGauge(ingest, SENT), await readGauge(ingest, KNOWN)]).to.deep.equal([
      sent + 1,
      known + 2,
    ]);
  });

  it('is sent again if it is of another token, or changed', async () => {
    await register({ appName: 'depot' });
    await register({ appName: 'depot', sdkVersion: 'node:2' });
    await register({ appName: 'depot' }, OTHER_CLIENT_TOKEN);
    expect(countOfRegistrations()).to.equal(3);
  });

  for (const failed of ['not-stored', 'unknown'] as const) {
    it(`is sent again after a send whose outcome was ${failed}`, async () => {
      const appName = `office-${failed}`;
      await register({ appName });
      outcome = { outcome: failed, reason: 'test' };
      // The sender repeats the counts until they are stored.
      await register({ appName });
      expect(countOfRegistrations()).to.equal(1);
      await register({ appName });
      expect(countOfRegistrations()).to.equal(2);
    });
  }

  function countOfRegistrations(): number {
    return sends.filter((topic) => topic === world.config.kafka.topics.applications).length;
  }

  async function register(
    application: Application,
    authorization?: string,
    metric: Partial<Metric> = {},
  ): Promise<void> {
    const body = bodyOf({ applications: [application], metrics: [{ ...aFreshMetric(), ...metric }] });
    const answer = await post(ingest, { body, ...(authorization === undefined ? {} : { authorization }) });
    expect(answer.status).to.equal(202);
  }
});

import { expect } from 'chai';
import { encodeRegistrations, registrationOf } from '#core/counting';
import { startWorker } from '../../../services/worker/index.ts';
import { appendApplications } from '../../support/stack/engines/kafka/kafka-log.ts';
import { untilApplicationsHandled } from '../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../support/eventually.ts';
import { sharedWorld } from '../../support/world.ts';

const MINUTE_MS = 60_000;
/** The beginning of a minute, a while ago. */
const START = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS;

describe('the worker and equal registrations', () => {
  const world = sharedWorld({ KAFKA_APPLICATIONS_PARTITIONS: '1' });

  before(() => world.run((config, log) => startWorker(config, log, rethrow)));

  it('writes one in each clock minute of its receipt, so that the last report is exact to the minute', async () => {
    await register(START + MINUTE_MS - 1);
    await eventually(lastSeen, (seen) => seen === START + MINUTE_MS - 1);
    await register(START + MINUTE_MS);
    await eventually(lastSeen, (seen) => seen === START + MINUTE_MS);
    await register(START + 2 * MINUTE_MS - 1);
    await untilApplicationsHandled(world);
    expect(await lastSeen()).to.equal(START + MINUTE_MS);
  });

  it('writes no restart within the minute again, because Postgres keeps no start', async () => {
    await register(START + 2 * MINUTE_MS - 1, { started: new Date(START).toISOString() });
    await untilApplicationsHandled(world);
    expect(await lastSeen()).to.equal(START + MINUTE_MS);
  });

  it('keeps what an earlier report of the same transaction named', async () => {
    const named = { instanceId: 'one', interval: 15_000, platformName: 'node', sdkVersion: 'node:6' };
    const seenAt = START + 5 * MINUTE_MS;
    await appendApplications(world, [
      encodeRegistrations([
        registrationOf({ appName: 'till', instanceId: 'one', sdkVersion: 'node:7' }, seenAt + 1),
        registrationOf({ appName: 'till', ...named }, seenAt),
      ]),
    ]);
    await untilApplicationsHandled(world);
    const { rows } = await world.db.query(
      `select interval_ms, platform_name, sdk_version from client_instances where app_name = 'till'`,
    );
    expect(rows).to.deep.equal([{ interval_ms: 15_000, platform_name: 'node', sdk_version: 'node:7' }]);
  });

  it('brings back with the next minute what was deleted from Postgres', async () => {
    const minute = START + 3 * MINUTE_MS;
    await register(minute);
    await eventually(lastSeen, (seen) => seen === minute);
    await world.db.query('delete from client_applications');
    await register(minute + 1);
    await untilApplicationsHandled(world);
    expect(await lastSeen()).to.equal(undefined);
    await register(minute + MINUTE_MS);
    await eventually(lastSeen, (seen) => seen === minute + MINUTE_MS);
  });

  async function register(seenAt: number, restart: { started?: string } = {}): Promise<void> {
    const registration = registrationOf({ appName: 'shop', ...restart }, seenAt);
    await appendApplications(world, [encodeRegistrations([registration])]);
  }

  async function lastSeen(): Promise<number | undefined> {
    const { rows } = await world.db.query<{ seen_at: Date }>(
      `select a.seen_at
       from client_applications as a
       join client_instances as i using (app_name)
       where a.seen_at = i.last_seen
         and a.app_name = 'shop'`,
    );
    return rows[0]?.seen_at.getTime();
  }
});

function rethrow(error: unknown): void {
  throw error;
}

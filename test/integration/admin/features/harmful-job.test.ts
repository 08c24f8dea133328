import { expect } from 'chai';
import { syncFeatures } from '../../../../packages/catalogue/sync/features.ts';
import { startAdmin } from '../../../../services/admin/app.ts';
import { refreshVerdicts } from '#clickhouse';
import { createHistory } from '../../../support/builders/history.ts';
import {
  ADMIN_SECRET,
  type UpstreamCatalogue,
  createUpstreamCatalogue,
} from '../../../support/upstream/unleash-catalogue.ts';
import { type Upstream, startUpstream } from '../../../support/upstream/upstream.ts';
import { eventually } from '../../../support/eventually.ts';
import { type World, createWorld } from '../../../support/world.ts';

const GUARD = { metric: 'errors', direction: 'up', threshold: 0, above: null, turnOff: true };

describe('a feature that is harmful', () => {
  let world: World;
  let upstream: Upstream;
  let catalogue: UpstreamCatalogue;
  before(async () => {
    catalogue = createUpstreamCatalogue();
    upstream = await startUpstream(catalogue.respond);
    world = await createWorld({ UNLEASH_URL: upstream.url, UNLEASH_ADMIN_TOKEN: ADMIN_SECRET });
  });
  after(async () => {
    await world.dispose();
    await upstream.close();
  });

  it('is turned off once if its guard asks for it, with the reason in the event', async () => {
    await create('bad', { turnOff: true });
    await create('watched', { turnOff: false });
    await compute();
    // A new configuration that no verdict has seen.
    await create('turned-on-again', { turnOff: true });
    await syncFeatures(world.db, world.clickhouse);
    await world.db.query(
      `update feature_environments set enabled = false where feature_name = 'turned-on-again';
       update feature_environments set enabled = true where feature_name = 'turned-on-again'`,
    );
    const services = await Promise.all([world.run(startAdmin), world.run(startAdmin)]);

    const events = await eventually(eventsOf, (rows) => rows.length > 0);
    await Promise.all(services.map((service) => service.stop()));
    expect(await eventsOf()).to.have.length(1);
    expect(events[0]).to.include({
      ...{ feature_name: 'bad', environment: 'production', created_by: 'system', source: 'flagmeter' },
      type: 'feature-environment-disabled',
    });
    expect(events[0]?.reason).to.match(
      /^Since .* the arm enabled has 900 errors in 1000 evaluations, and disabled has 300 in 1000\. /,
    );
    expect(await enabledFeatures()).to.deep.equal(['turned-on-again', 'watched']);
  });

  it('is turned off in Unleash if Unleash owns it', async () => {
    catalogue.create('theirs');
    await create('theirs', { turnOff: true, source: 'unleash' });
    await compute();
    await world.run(startAdmin);

    const ofTheirs = async () => (await eventsOf()).filter(({ feature_name }) => feature_name === 'theirs');
    const [event] = await eventually(ofTheirs, (rows) => rows.length > 0);
    expect(event).to.include({ feature_name: 'theirs', created_by: 'system', source: 'unleash' });
    expect(event?.reason).to.include('900 errors');
    expect(catalogue.features.get('theirs')?.enabled).to.equal(false);
    expect(await enabledFeatures()).not.to.include('theirs');
  });

  async function create(
    name: string,
    { turnOff, source = 'flagmeter' }: { turnOff: boolean; source?: string },
  ) {
    await world.db.query(
      `insert into features (name, project, guards, source) values ($1, 'default', $2, $3)`,
      [name, JSON.stringify([{ ...GUARD, turnOff }]), source],
    );
    await world.db.query(
      `insert into feature_environments (feature_name, environment, enabled, changed_at)
       values ($1, 'production', true, now() - interval '1 day')`,
      [name],
    );
    const history = createHistory();
    const of = { feature: name, hoursAgo: 1 };
    history.evaluated({ ...of, yes: 1000, no: 1000 });
    history.measured({ ...of, metric: 'errors', arm: 'enabled', value: 900 });
    history.measured({ ...of, metric: 'errors', arm: 'disabled', value: 300 });
    await history.write(world);
  }

  async function compute(): Promise<void> {
    await syncFeatures(world.db, world.clickhouse);
    await refreshVerdicts(world.clickhouse);
  }

  async function eventsOf() {
    const { rows } = await world.db.query<{ feature_name: string; reason: string }>(
      `select type, feature_name, environment, created_by, source, data ->> 'reason' as reason
       from events
       where type like 'feature-environment%'`,
    );
    return rows;
  }

  async function enabledFeatures(): Promise<string[]> {
    const { rows } = await world.db.query<{ feature_name: string }>(
      'select feature_name from feature_environments where enabled order by feature_name',
    );
    return rows.map(({ feature_name }) => feature_name);
  }
});

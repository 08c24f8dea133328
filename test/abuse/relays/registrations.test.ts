import { expect } from 'chai';
import { pruneApplications } from '#fleet/catalogue';
import type { Application } from '#core/counting';
import { startAdmin } from '../../../services/admin/app.ts';
import { type Api, openApi } from '../../support/admin-api/admin.ts';
import { namesOf, wideApplication } from '../../support/attacks/client-tokens.ts';
import { untilItLasts } from '../../support/borders.ts';
import { untilApplicationsHandled } from '../../support/stack/engines/kafka/topics.ts';
import { bodyOf, post } from '../../support/requests/post.ts';
import { sharedCounting } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

const MAX_PROJECTS = 700;
const MAX_STRATEGIES = 150;

describe('a token that registers new names continuously', () => {
  const world = sharedWorld({
    KAFKA_COUNTS_PARTITIONS: '1',
    MAX_APP_PROJECTS_PER_HOUR: String(MAX_PROJECTS),
    MAX_STRATEGIES_PER_HOUR: String(MAX_STRATEGIES),
  });
  const ingest = sharedCounting(world);
  let api: Api;

  before(async () => {
    api = await openApi((await world.run(startAdmin)).url);
    await untilItLasts('hour', 60_000);
  });

  it('stores no application with thousands of projects or strategies', async () => {
    await register([
      wideApplication('wide', { projects: 6000 }),
      wideApplication('clever', { strategies: 6000 }),
    ]);
    expect(await refused()).to.deep.equal({ too_many_projects: 1, too_many_strategies: 1 });
  });

  it('stores no more names in this hour than its quota', async () => {
    await register(namesOf('app', 20).map((name) => wideApplication(name, { projects: 200 })));
    await register(namesOf('clever', 4).map((name) => wideApplication(name, { strategies: 50 })));

    expect(await refused()).to.include({ too_many_project_names: 17, too_many_strategy_names: 1 });
    const { rows } = await world.db.query('select project from client_applications_usage');
    expect(rows).to.have.length(3 * 200 + 3);
  });

  it('cannot make an answer long', async () => {
    const { body } = await api.get('/api/admin/metrics/applications');
    const { applications } = body as { applications: { appName: string; usage: unknown[] }[] };

    expect(JSON.stringify(body).length).to.be.lessThan(20_000);
    expect(applications.find(({ appName }) => appName === 'app-0')).to.include({ totalUsage: 200 });
    expect(applications.find(({ appName }) => appName === 'app-0')?.usage).to.have.length(20);
  });

  it('is forgotten with all its names after 30 days without a report', async () => {
    await world.db.query(
      `update client_applications set seen_at = now() - interval '31 days' where app_name <> 'app-0'`,
    );
    await world.db.query(
      `update client_applications_usage set seen_at = now() - interval '31 days' where project <> 'project-0'`,
    );
    await pruneApplications(world.db, new AbortController().signal);

    const { rows } = await world.db.query('select app_name, project from client_applications_usage');
    expect(rows).to.deep.equal([{ app_name: 'app-0', project: 'project-0' }]);
    const { rows: left } = await world.db.query('select app_name from client_instances');
    expect(left).to.deep.equal([{ app_name: 'app-0' }]);
  });

  /** Each in its own batch. Waits until all are handled. */
  async function register(applications: readonly Application[]): Promise<void> {
    for (const application of applications) {
      const { status } = await post(ingest, { body: bodyOf({ applications: [application] }) });
      expect(status).to.equal(202);
    }
    await untilApplicationsHandled(world);
  }

  async function refused(): Promise<Record<string, number>> {
    await world.settled();
    const rows = await world.query<{ reason: string; applications: number }>(
      `select reason, toUInt32(sum(r.count)) as applications from refusals as r where kind = 'application' group by reason`,
    );
    return Object.fromEntries(rows.map(({ reason, applications }) => [reason, applications]));
  }
});

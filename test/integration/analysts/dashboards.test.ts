import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { readConfig } from '#base/runtime';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { startAdmin } from '../../../services/admin/app.ts';
import { startIngest } from '../../../services/ingest/app.ts';
import { startUnleashBridge } from '../../../services/unleash-bridge/app.ts';
import { healthQueries, selectorsOf } from '../../support/documents/dashboards.ts';
import { eventually } from '../../support/eventually.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { anArrivedReport, storeReports } from '../../support/senders/relays.ts';
import { runWorker } from '../../support/stories/counting.ts';
import { type Upstream, startUpstream } from '../../support/servers/upstream/upstream.ts';
import { sharedWorld } from '../../support/world.ts';

describe('the dashboard of pipeline health and the alert rules', () => {
  const world = sharedWorld();
  let unleash: Upstream;
  let samples: readonly string[];

  before(async () => {
    // The worker looks at the relays when it starts.
    await storeReports(world, anArrivedReport('edge-1', Date.now()));
    await createTokens(world.db).create({
      secret: '*:production.a-token-that-ends-soon',
      name: 'ends soon',
      type: 'client',
      projects: [],
      environment: 'production',
      expiresAt: Date.now() + 86_400_000,
    });
    unleash = await startUpstream((_request, response) => response.writeHead(503).end());
    const ofUnleash = readConfig({
      ...world.env,
      UNLEASH_URL: unleash.url,
      UNLEASH_ADMIN_TOKEN: '*:*.an-admin-token-of-unleash',
      UNLEASH_MIRROR_TOKENS: '*:production.a-client-token-of-unleash',
    });
    const ingest = await world.run((_, log) =>
      startIngest(readConfig({ ...world.env, UNLEASH_URL: unleash.url }), log),
    );
    const others = await Promise.all([
      runWorker(world),
      world.run(startAdmin),
      world.fork('standalone'),
      world.run((_, log) =>
        startUnleashBridge(ofUnleash, log, (error) => {
          throw error;
        }),
      ),
    ]);
    const metrics = [aFreshMetric({ yes: 1 }), aFreshMetric({ environment: 'development', yes: 1 })];
    await post({ url: ingest.url }, { body: bodyOf({ metrics }) });
    await untilCounted(world);
    for (const { url } of others) await fetch(`${url}/api/admin/projects`);
    samples = await eventually(
      async () => (await Promise.all([ingest, ...others].map(({ url }) => scrape(url)))).flat(),
      // The accounting is read again every ten seconds.
      (lines) =>
        lines.some((line) => /^flagmeter_accounting_metrics.*"counted"\} 1$/.test(line)) &&
        // The notifier looks at the tokens ten seconds after its start.
        ['flagmeter_relay_revision_lag{', 'flagmeter_tokens_next_end_timestamp_seconds{'].every((start) =>
          lines.some((line) => line.startsWith(start)),
        ),
    );
  });

  after(async () => {
    await world.dispose();
    await unleash.close();
  });

  for (const { title, query } of healthQueries()) {
    it(`use metrics and labels that the services export: ${title}`, () => {
      const selectors = selectorsOf(query).filter(({ metric }) => metric.startsWith('flagmeter'));

      for (const { metric, labels, values } of selectors) {
        const shown = samples.filter(
          (line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `),
        );
        expect(shown, metric).to.not.deep.equal([]);
        const [first = ''] = shown;
        for (const label of labels) expect(first).to.include(`${label}="`);
        for (const [label, value] of values) expect(shown.join('\n')).to.include(`${label}="${value}"`);
      }
    });
  }

  it('alert on the conditions that operators must know', () => {
    const alerts = healthQueries().map(({ title }) => title);
    expect(alerts).to.include.members([
      'FlagmeterLag',
      'FlagmeterBacklog',
      'FlagmeterRefusals',
      'FlagmeterDeadLetters',
      'FlagmeterBreakerOpen',
      'FlagmeterDeduplicationWindow',
      'FlagmeterDisk',
      'FlagmeterPassFailing',
      'FlagmeterPassFull',
      'FlagmeterMirrorToken',
      'FlagmeterMirrorDelay',
      'FlagmeterUnleashCatalogueLag',
    ]);
  });

  async function scrape(url: string): Promise<string[]> {
    return (await (await fetch(`${url}/internal-backstage/prometheus`)).text()).split('\n');
  }
});

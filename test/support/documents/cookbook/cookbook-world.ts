import {
  rollUpRelays,
  syncCodeReferences,
  syncEvents,
  syncFeatures,
  syncInstances,
  syncPastConfigurations,
} from '#fleet/catalogue';
import { createBlocks, refreshVerdicts } from '#core/clickhouse';
import { type Block, DuplicateWindow, type LogMessage, type Metric, buildBlock } from '#core/counting';
import { untilItLasts } from '../../borders.ts';
import { aCountsValue } from '../../builders/builders.ts';
import { anArrivedReport, storeReports } from '../../senders/relays.ts';
import type { World } from '../../world.ts';
import { demoImpact } from './cookbook-impact.ts';
import { demoReasons } from './cookbook-reasons.ts';
import { DEMO_DAYS, type DemoHour, demoHours, demoMetrics } from './cookbook-traffic.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/**
 * Fills a world with the data of the cookbook. Two relays deliver the traffic of the last 28 whole days (UTC), and
 * the code of the worker stores it. The worker also syncs the features and instances. Queries over whole days return
 * the same results on any day, until the day of the load ends.
 */
export async function loadCookbookData(world: World): Promise<void> {
  await untilItLasts('day', 9 * MINUTE, 6 * MINUTE); // the views count a day as over five minutes after its end
  const today = Math.floor(Date.now() / DAY) * DAY;
  await storeTraffic(world, today);
  await world.db.query(FEATURES);
  await world.db.query(OWNERS);
  await configure(world);
  await world.db.query(INSTANCES);
  await world.db.query(CODE);
  await syncFeatures(world.db, world.clickhouse);
  await syncPastConfigurations(world.db, world.clickhouse);
  await syncEvents(world.db, world.clickhouse);
  await syncCodeReferences(world.db, world.clickhouse);
  await syncInstances(world.db, world.clickhouse);
  await storeRelays(world, today);
  await refreshVerdicts(world.clickhouse);
}

const RELAYS = [
  { id: 'edge-eu-1', region: 'eu-west-1', edgeVersion: '20.4.1', revisionId: 412, load: 40 },
  { id: 'edge-eu-2', region: 'eu-west-1', edgeVersion: '20.4.1', revisionId: 412, load: 30 },
  { id: 'edge-us-1', region: 'us-east-1', edgeVersion: '19.8.0', revisionId: 405, load: 10 },
];

/**
 * Three relays report every ten minutes of the last two whole days. The one in America falls silent at noon of yesterday; it was slow
 * before.
 */
async function storeRelays(world: World, today: number): Promise<void> {
  const reports = [];
  for (let at = today - 2 * DAY + 10 * MINUTE; at < today; at += 10 * MINUTE)
    for (const { id, region, edgeVersion, revisionId, load } of RELAYS) {
      if (id === 'edge-us-1' && at > today - DAY / 2) continue;
      const hour = Math.floor((at % DAY) / (60 * MINUTE));
      const ms = (id === 'edge-us-1' ? 90 : 8) + (hour % 3);
      reports.push(
        anArrivedReport(id, at, {
          region,
          edgeVersion,
          started: new Date(today - 3 * DAY).toISOString(),
          requestsSinceLastReport: { a: { requests200: load * (20 + hour) } },
          latencyUpstream: { features: { avg: ms, p99: 3 * ms, count: 9 } },
          edgeApiKeyRevisionIds: [{ environment: 'production', projects: ['*'], revisionId }],
        }),
      );
    }
  await storeReports(world, ...reports);
  await rollUpRelays(world.shards.of(0));
}

/**
 * One block a day for each of two partitions: a production relay and a development relay. One INSERT takes all blocks of a partition,
 * because one for each block would take 3 s of CPU.
 */
async function storeTraffic(world: World, today: number): Promise<void> {
  const topic = world.config.kafka.topics.counts;
  const hours = demoHours(today);
  for (const [partition, environment] of ['production', 'development'].entries()) {
    const duplicates = new DuplicateWindow(45_000);
    const blocks: Block[] = [];
    let from = 0n;
    for (let daysAgo = DEMO_DAYS; daysAgo >= 1; daysAgo -= 1) {
      const ofDay = hours.filter((hour) => hour.daysAgo === daysAgo);
      const messages = ofDay
        .flatMap((hour) => batchesOf(hour, environment))
        .map((message, index) => ({ ...message, offset: from + BigInt(index) }));
      const range = { topic, epoch: 1, partition, from, to: from + BigInt(messages.length) };
      const { block, remember } = buildBlock(range, messages, { duplicates });
      blocks.push(block);
      remember();
      from = range.to;
    }
    await createBlocks(world.clickhouse).insertAll(blocks);
  }
}

type Batch = Omit<LogMessage, 'offset'>;

/** One batch per hour. One batch of each day is sent twice, and some metrics are refused. */
function batchesOf(hour: DemoHour, environment: string): Batch[] {
  const receivedAt = hour.startMs + 31 * MINUTE;
  const value = aCountsValue({
    batchId: `${environment}-${hour.daysAgo}-${hour.hour}`,
    receivedAt,
    tokenId: `relay-${environment}`,
    allowedEnvironment: environment,
    metrics: [...demoMetrics(hour, environment), ...refusedMetrics(hour, environment)],
    impactMetrics: demoImpact(hour, environment),
    reasons: demoReasons(hour, environment),
  });
  const batch = { value, appendedAt: receivedAt };
  return hour.hour === 9 ? [batch, batch] : [batch];
}

function refusedMetrics({ daysAgo, hour, startMs }: DemoHour, environment: string): Metric[] {
  const timestamp = new Date(startMs).toISOString();
  const metric = { featureName: 'new-checkout', appName: 'mobile-api', environment, timestamp, yes: 5 };
  const tooOld = new Date(startMs - 31 * DAY).toISOString();
  return [
    ...(environment === 'production' && hour % 6 === 0 ? [{ ...metric, environment: 'staging' }] : []),
    ...(environment === 'production' && hour === 2
      ? [{ ...metric, appName: 'legacy-batch', featureName: 'old-search', timestamp: tooOld }]
      : []),
    ...(environment === 'development' && daysAgo <= 2 && hour === 10 ? [{ ...metric, featureName: '' }] : []),
  ];
}

const FEATURES = `
  with projects_added as (
    insert into projects (id, name)
    values ('payments', 'Payments'), ('search', 'Search'), ('platform', 'Platform')
    returning id
  ), features_added as (
    insert into features (name, project, type, stale, created_at, archived_at)
    values
      ('new-checkout', 'payments', 'release', false, current_date - interval '35 days', null),
      ('new-receipt', 'payments', 'release', false, current_date - interval '34 days', null),
      ('price-experiment', 'payments', 'experiment', false, current_date - interval '30 days', null),
      ('payments-kill-switch', 'payments', 'kill-switch', false, current_date - interval '400 days', null),
      ('fast-search', 'search', 'release', true, current_date - interval '300 days', null),
      ('search-ranking', 'search', 'experiment', false, current_date - interval '60 days', null),
      ('voice-search', 'search', 'release', false, current_date - interval '40 days', null),
      ('old-search', 'search', 'release', false, current_date - interval '700 days', current_date - interval '20 days'),
      ('beta-banner', 'platform', 'release', false, current_date - interval '20 days', null),
      ('summer-sale', 'platform', 'operational', false, current_date - interval '5 days', null),
      ('dark-mode', 'platform', 'release', false, current_date - interval '120 days', null)
    returning name
  )
  insert into feature_environments (feature_name, environment, enabled)
  select feature_name, 'production', feature_name <> 'payments-kill-switch' and feature_name <> 'summer-sale'
  from (
    values ('new-receipt'), ('payments-kill-switch'), ('fast-search'), ('beta-banner'), ('summer-sale'), ('dark-mode')
  ) as of_production (feature_name)
  where (select count(*) from projects_added) + (select count(*) from features_added) > 0`;

const OWNERS = `
  update features
  set owner = initcap(project) || ' team', tags = array['team:' || project]
  where project in ('payments', 'search')`;

/** The rollout of new-checkout is widened as in the traffic. The split of search-ranking does not follow its weights. */
async function configure({ db }: World): Promise<void> {
  const [five, quarter, half] = ['5', '25', '50'].map((percent) => aRollout('new-checkout', percent));
  const split = aRollout('price-experiment', '90', { control: 500, blue: 300, green: 200 });
  const ranking = aRollout('search-ranking', '100', { classic: 500, neural: 500 });
  await db.query(
    `insert into feature_environments (feature_name, environment, enabled, strategies, changed_at)
     values
       ('new-checkout', 'production', true, $1, current_date - interval '12 hours'),
       ('price-experiment', 'production', true, $2, current_date - interval '29 days'),
       ('search-ranking', 'production', true, $3, current_date - interval '50 days')`,
    [`[${half}]`, `[${split}]`, `[${ranking}]`],
  );
  await db.query(
    `insert into past_configurations (feature_name, environment, enabled, strategies, variants, valid_from, valid_to)
     values
       ('new-checkout', 'production', true, $1, '[]', current_date - 34, current_date - 7),
       ('new-checkout', 'production', true, $2, '[]', current_date - 7, current_date - interval '12 hours')`,
    [`[${five}]`, `[${quarter}]`],
  );
  await db.query(
    `insert into events (created_at, type, created_by, project, environment, feature_name, pre_data, data)
     values
       (current_date - 7, 'feature-strategy-update', 'ada', 'payments', 'production', 'new-checkout', $1, $2),
       (current_date - interval '12 hours', 'feature-strategy-update', 'ada', 'payments', 'production', 'new-checkout', $2, $3),
       (current_date - interval '2 hours', 'feature-environment-disabled', 'ben', 'platform', 'production', 'summer-sale', null, null)`,
    [five, quarter, half],
  );
}

/** A gradual rollout as JSON; weights are in thousandths. */
function aRollout(feature: string, percent: string, weights: Readonly<Record<string, number>> = {}): string {
  return JSON.stringify({
    name: 'flexibleRollout',
    parameters: { rollout: percent, stickiness: 'default', groupId: feature },
    variants: Object.entries(weights).map(([name, weight]) => ({ name, weight })),
  });
}

const CODE = `
  with pushed as (
    insert into code_repositories (name, branch, commit, committed_at, pushed_by, left_out)
    select 'github.com/acme/' || name, 'main', repeat('6f1c3f2e', 5), current_date - interval '1 day', 'ci', 0
    from unnest(array['shop', 'search', 'batch']) as name
    returning id, name
  )
  insert into code_references (repository_id, feature_name, path, line, kind)
  select id, feature_name, path, line, kind
  from pushed
  join (
    values
      ('shop', 'new-checkout', 'src/checkout.ts', 31, 'call'),
      ('shop', 'beta-banner', 'src/banner.ts', 12, 'call'),
      ('shop', 'beta-banner', 'test/banner.test.ts', 7, 'mention'),
      ('search', 'fast-search', 'internal/search.go', 88, 'call'),
      ('search', 'search-ranking', 'internal/ranking.go', 19, 'call'),
      ('search', 'old-search', 'internal/search.go', 90, 'call'),
      ('search', 'old-search', 'README.md', 3, 'mention'),
      ('batch', 'old-search', 'src/main/java/Batch.java', 54, 'call')
  ) as found (repository, feature_name, path, line, kind) on 'github.com/acme/' || repository = name`;

const INSTANCES = `
  with applications_added as (
    insert into client_applications (app_name, seen_at, created_by)
    values ('web-shop', now(), 'demo'), ('mobile-api', now(), 'demo'), ('search-api', now(), 'demo'),
      ('legacy-batch', now(), 'demo')
    returning app_name
  )
  insert into client_instances (
    app_name, environment, instance_id, sdk_version, platform_name, platform_version, connect_via, interval_ms,
    created_at, reporting_since, last_seen
  )
  select
    app_name, 'production', instance_id, sdk_version, split_part(platform, ' ', 1), split_part(platform, ' ', 2),
    case
      when relay = '' then '[]'
      else jsonb_build_array(jsonb_build_object('appName', relay, 'instanceId', relay || '-1'))
    end,
    15000, current_date - days_ago, current_date - days_ago, now() - ago
  from (
    values
      ('web-shop', 'web-1', 'unleash-client-node:6.6.0', 'node v22.9.0', 'edge-eu', 2, interval '0'),
      ('web-shop', 'web-2', 'unleash-client-node:6.6.0', 'node v22.9.0', 'edge-us', 4, interval '0'),
      ('web-shop', 'web-3', 'unleash-client-node:5.2.1', 'node v18.20.4', 'edge-us', 20, interval '0'),
      ('mobile-api', 'api-1', 'unleash-client-go:4.5.0', 'go go1.23.2', 'edge-eu', 20, interval '0'),
      ('search-api', 'search-1', 'unleash-client-java:10.2.0', 'java 21.0.4', '', 20, interval '0'),
      ('search-api', 'search-2', 'unleash-client-java:10.2.0', 'java 21.0.4', '', 20, interval '2 hours'),
      ('search-api', 'search-3', 'unleash-client-java:10.2.0', 'java 21.0.4', '', 20, interval '0'),
      ('legacy-batch', 'batch-1', 'unleash-client-java:4.0.1', '', '', 20, interval '0')
  ) as of_apps (app_name, instance_id, sdk_version, platform, relay, days_ago, ago)
  where (select count(*) from applications_added) > 0`;

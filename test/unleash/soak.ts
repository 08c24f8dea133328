import type { IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { realClock } from '../../tools/relay/index.ts';
import { type Random, chooseSeed, createRandom } from '../support/builders/random.ts';
import { type OwnUnleash, ownUnleash } from '../support/stack/engines/unleash.ts';
import { eventually } from '../support/eventually.ts';
import { runCli } from '../support/stack/processes/cli.ts';
import { readGauge } from '../support/stack/processes/gauges.ts';
import type { ServiceProcess } from '../support/stack/processes/process.ts';
import { type Fault, type LossyProxy, startLossyProxy } from '../support/stack/proxies/lossy-proxy.ts';
import { watchEvaluations } from '../support/senders/sdks/evaluations.ts';
import { startNodeSdk } from '../support/senders/sdks/node-sdk.ts';
import { chooseSeconds } from '../support/seconds.ts';
import { countedSums } from '../support/servers/upstream/counted-sums.ts';
import { MIRRORED_FEATURES } from '../support/servers/upstream/mirrored-load.ts';
import { type SoakRelay, acknowledgedSums, startRelays } from '../support/servers/upstream/soak-relays.ts';
import { type World, createWorld } from '../support/world.ts';

const SECONDS = chooseSeconds(3600);
const SEED = chooseSeed();
const HOUR_MS = 3_600_000;
/** An hour is compared under load so long after its end. By then relays have sent it, and the mirror has sent it on. */
const HOUR_IS_OVER_MS = 120_000;
const LOOK_EVERY_MS = 60_000;
const CAUGHT_UP_MS = 180_000;
/** A relay gives a body up after six attempts. */
const MAX_LOST_IN_A_ROW = 3;

/** Part of `make soak-unleash`. Too long for `make test`. */
describe(`an hour with lost answers in front of a real Unleash (SEED=${SEED}, ${SECONDS} s)`, function () {
  this.timeout(SECONDS * 1000 + 900_000);
  const random = createRandom(SEED);
  let unleash: OwnUnleash;
  let world: World;
  let ingest: ServiceProcess;
  let mirror: ServiceProcess;
  let toIngest: LossyProxy;
  let toUnleash: LossyProxy;

  before(async () => {
    unleash = await ownUnleash();
    for (const feature of MIRRORED_FEATURES) await unleash.createFeature(feature);
    world = await createWorld({
      UNLEASH_URL: unleash.address,
      UNLEASH_ADMIN_TOKEN: unleash.secrets.admin,
      UNLEASH_MIRROR_TOKENS: `${unleash.secrets.production},${unleash.secrets.development}`,
      INIT_CLIENT_API_TOKENS: '',
    });
    toIngest = await startLossyProxy(() => ingest.url, loseAnswers(random));
    toUnleash = await startLossyProxy(() => unleash.address, rejectPosts(random));
    [ingest, mirror] = await Promise.all([
      world.fork('ingest'),
      world.fork('unleash-bridge', { UNLEASH_URL: toUnleash.url }),
      world.fork('worker'),
    ]);
  });
  after(async () => {
    toIngest.close();
    toUnleash.close();
    await world.dispose();
    await unleash.dispose();
  });

  it('ends with the same counts in relays, flagmeter and Unleash', async () => {
    const startedAt = Date.now();
    const { production, development } = unleash.secrets;
    const sdk = await startNodeSdk({ url: ingest.url, secret: production, metricsInterval: 30_000 });
    const evaluations = watchEvaluations(sdk, 'feature-0');
    const stopping = new AbortController();
    const relays = startRelays({
      url: toIngest.url,
      tokens: { production, development },
      random,
      signal: stopping.signal,
    });
    await compareHoursUntil(startedAt + SECONDS * 1000);
    stopping.abort();
    await Promise.all(relays.map(({ finished }) => finished));
    const asked = evaluations.stop();
    await sdk.flush();
    await sdk.dispose();
    await world.settled(CAUGHT_UP_MS);
    const hours = hoursSince(startedAt);
    const last = await eventually(() => compareAll(hours), areEqual, CAUGHT_UP_MS);
    show({ ...(await figures(relays)), asked, comparisons: last });

    expect(areEqual(last)).to.equal(true);
    const identified = relays.filter(({ isIdentified }) => isIdentified);
    const counted = await countedSums(world);
    expect(ofApps(counted, identified)).to.deep.equal(acknowledgedSums(identified));
    expect(repeatsOf(relays)).to.be.greaterThan(0);
    expect(asked.wrong).to.equal(0);
  });

  /** Each hour is compared once it is over, while the load goes on. */
  async function compareHoursUntil(end: number): Promise<void> {
    let next = Math.floor(Date.now() / HOUR_MS);
    while (Date.now() < end) {
      await realClock.sleep(Math.min(LOOK_EVERY_MS, end - Date.now()));
      show({ counted: await totalCounted(), mirrored: await mirrored('accepted') });
      if (Date.now() < (next + 1) * HOUR_MS + HOUR_IS_OVER_MS) continue;
      const { code, stdout } = await runCli(world, ['compare-unleash']);
      show({ code, stdout });
      expect(code, stdout).to.equal(0);
      next += 1;
    }
  }

  async function compareAll(hours: readonly string[]): Promise<Compared[]> {
    const compared: Compared[] = [];
    for (const hour of hours) {
      const { code, stdout } = await runCli(world, ['compare-unleash', '--hour', hour]);
      compared.push({ hour, code, stdout });
    }
    return compared;
  }

  async function figures(relays: readonly SoakRelay[]): Promise<object> {
    const sent = relays.flatMap(({ relay }) => relay.ledger.deliveries);
    return {
      batches: sent.length,
      acknowledged: sent.filter(({ outcome }) => outcome === 'acknowledged').length,
      repeats: repeatsOf(relays),
      answersLostToRelays: toIngest.count('cut') + toIngest.count('silent'),
      postsRejected: toUnleash.count(503),
      counted: await totalCounted(),
      mirrored: await mirrored('accepted'),
      unanswered: await mirrored('unanswered'),
    };
  }

  async function totalCounted(): Promise<number> {
    const [row] = await world.query<{ total: string }>(
      'select sum(u.yes) + sum(u.no) as total from usage_by_hour as u',
    );
    return Number(row?.total ?? 0);
  }

  function mirrored(outcome: string): Promise<number> {
    return readGauge(mirror, `flagmeter_mirror_evaluations_total{outcome="${outcome}"}`);
  }
});

type Compared = { readonly hour: string; readonly code: number; readonly stdout: string };

function areEqual(comparisons: readonly Compared[]): boolean {
  return comparisons.every(({ code }) => code === 0);
}

/** ISO 8601: the hour of `start`, and every later one that has begun. */
function hoursSince(start: number): string[] {
  const first = Math.floor(start / HOUR_MS);
  const count = Math.floor(Date.now() / HOUR_MS) - first + 1;
  return Array.from({ length: count }, (_, index) => new Date((first + index) * HOUR_MS).toISOString());
}

/** Loses one answer of five to relays. Most connections break; some stay silent until the relay gives up after five seconds. */
function loseAnswers(random: Random): (incoming: IncomingMessage) => Fault {
  const lostInARow = new Map<number, number>();
  return ({ headers }) => {
    const sender = Number(headers['x-soak-relay']);
    const lost = lostInARow.get(sender) ?? 0;
    const fault =
      lost < MAX_LOST_IN_A_ROW && random.next() < 0.2 ? (random.next() < 0.1 ? 'silent' : 'cut') : 'none';
    lostInARow.set(sender, fault === 'none' ? 0 : lost + 1);
    return fault;
  };
}

/** Rejects one post of ten before Unleash gets it, so that the mirror may repeat it. */
function rejectPosts(random: Random): (incoming: IncomingMessage) => Fault {
  return ({ method }) => (method === 'POST' && random.next() < 0.1 ? 503 : 'none');
}

function repeatsOf(relays: readonly SoakRelay[]): number {
  return relays
    .flatMap(({ relay }) => relay.ledger.deliveries)
    .reduce((sum, { attempts }) => sum + attempts.length - 1, 0);
}

/** Sums of the form of `countedSums`, of the applications behind these relays. */
function ofApps(
  sums: Readonly<Record<string, number>>,
  relays: readonly SoakRelay[],
): Record<string, number> {
  const apps = new Set(relays.map(({ appName }) => appName));
  return Object.fromEntries(Object.entries(sums).filter(([key]) => apps.has(key.split(' ')[1] ?? '')));
}

/** Prints the figures into the log. */
function show(figures: object): void {
  process.stdout.write(`${new Date().toISOString()} ${inspect(figures, { depth: 4 })}\n`);
}

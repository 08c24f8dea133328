import { expect } from 'chai';
import { openPostgres } from '#base/postgres';
import { type Seen, contractTable, documentedContract } from '../../support/documents/contract-table.ts';
import type { OwnUnleash } from '../../support/stack/engines/unleash.ts';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../support/eventually.ts';
import { isNight, someByDay } from '../../support/nightly.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, type World, createWorld } from '../../support/world.ts';
import { type ZooCase, textOfValue, zooCases } from '../../support/senders/zoo/cases.ts';
import { type OpenApi, type ZooPath, zooPathsOf } from '../../support/senders/zoo/paths.ts';
import { type Difference, type Outcomes, RULES, differencesOf } from '../../support/senders/zoo/rules.ts';
import { postCase, sendCases } from '../../support/senders/zoo/send.ts';
import {
  type Stored,
  byApplication,
  storedByFlagmeter,
  storedByUnleash,
} from '../../support/senders/zoo/stored.ts';

/** More than all cases together. */
const ROOM = '100000';

/** The last tests of an Unleash, because it gets hundreds of features. */
export function testBodies(given: () => OwnUnleash): void {
  let unleash: OwnUnleash;
  let world: World;
  let seen: Seen[];
  before(async function () {
    this.timeout(600_000);
    unleash = given();
    world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '1', MAX_APPS_PER_HOUR: ROOM });
    seen = await sendToBoth();
  });
  after(() => world.dispose());

  it('is taken if Unleash takes it, except in other charsets', () => {
    const rejected = seen.filter(
      ({ outcomes: { unleash, flagmeter } }) => unleash.isTaken && !flagmeter.isTaken,
    );
    const inOthers = rejected.filter(({ zooCase: { kind } }) => /^in UTF-(7|32)$/.test(kind));
    expect(rejected.map(nameOf)).to.deep.equal(inOthers.map(nameOf));
  });

  it('is taken and stored as by Unleash, or by a rule', () => {
    const unexplained = seen.flatMap(({ zooCase, outcomes }) =>
      differencesOf(outcomes)
        .filter((difference) => rulesOf(zooCase, outcomes, difference).length === 0)
        .map((difference) => [nameOf({ zooCase }), difference, ...shown(outcomes, difference)].join(' ')),
    );
    expect(unexplained.join('\n')).to.equal('');
  });

  // A share of the places does not meet all rules.
  if (isNight())
    it('is what each rule is about', () => {
      const used = new Set(seen.flatMap(({ rules }) => rules));
      expect(RULES.filter((_, index) => !used.has(index)).map(({ text }) => text)).to.deep.equal([]);
    });

  it('has the answers that docs/use/senders/unleash-bodies.csv lists', () => {
    const table = contractTable(seen.filter(({ zooCase }) => zooCase.isListed));
    const documented = documentedContract(table);
    if (isNight()) expect(documented).to.equal(table);
    else expect(documented.split('\n')).to.include.members(table.split('\n'));
  });

  async function sendToBoth(): Promise<Seen[]> {
    const answer = await fetch(`${unleash.address}/docs/openapi.json`);
    const paths = zooPathsOf((await answer.json()) as OpenApi); // as Unleash describes itself
    // Without a time, Unleash loses all rows that it stores at the same moment (docs/develop/unleash.md#what-unleash-loses-or-counts-twice).
    const all = zooCases(paths, Date.now(), isNight());
    const usual = all.filter(({ place, kind }) => !(place === 'metrics[].timestamp' && kind === 'nothing'));
    const cases = someByDay(byPlace(usual), 1 / 3, kindOfPlace).flat();
    const flagmeter = await startCounting(world);
    const theirs = {
      url: unleash.address,
      secrets: { servers: CLIENT_TOKEN, browsers: unleash.secrets.frontend },
    };
    const ours = { url: flagmeter.url, secrets: { servers: CLIENT_TOKEN, browsers: FRONTEND_TOKEN } };
    await createFeatures(cases);
    const statuses = [await sendCases(theirs, cases), await sendCases(ours, cases)] as const;
    const [bulk] = paths;
    if (bulk === undefined) throw new Error('the first path is that of relays');
    await untilStored(theirs, bulk);
    await untilCounted(world);
    const stored = [await storedByUnleash(unleash, world), await storedByFlagmeter(world)].map(byApplication);
    return cases.map((zooCase, index) => {
      const outcomeOf = (side: 0 | 1) => ({
        isTaken: isTaken(statuses[side][index] ?? 0, zooCase),
        stored: storedOf(zooCase, stored[side] ?? (() => NOTHING)),
      });
      const outcomes = { unleash: outcomeOf(0), flagmeter: outcomeOf(1) };
      if (!outcomes.flagmeter.isTaken) expect(outcomes.flagmeter.stored).to.deep.equal(NOTHING);
      const needed = differencesOf(outcomes).flatMap((difference) => rulesOf(zooCase, outcomes, difference));
      const possible = RULES.flatMap(({ isByChance, explains }, index) =>
        isByChance === true && explains(zooCase, outcomes) ? index : [],
      );
      const rules = [...needed, ...possible];
      return { zooCase, outcomes, rules };
    });
  }

  /** Unleash stores counts of features that it knows, after ten seconds at the latest. */
  async function createFeatures(cases: readonly ZooCase[]): Promise<void> {
    const ofPaths = cases.flatMap(({ path: { name } }) => [`${name}-right`, `${name}-varied`]);
    const names = new Set([...ofPaths, 'varied', ...cases.map(({ value }) => textOfValue(value))]);
    const insert = `insert into features (name, project) select unnest($1::text[]), 'default'`;
    await inUnleash((db) => db.query(insert, [[...names].filter((name) => name !== '')]));
  }

  /** Unleash stores what came before another body together with it, or earlier. */
  async function untilStored(theirs: Parameters<typeof sendCases>[0], bulk: ZooPath): Promise<void> {
    const body = bulk.bodyOf({ appName: 'last', now: Date.now(), impactType: 'counter' });
    expect(await postCase(theirs, { path: bulk, body })).to.equal(202);
    const tables = ['client_metrics_env', 'client_instances'];
    await inUnleash((db) =>
      eventually(
        async () =>
          Promise.all(tables.map((table) => db.query(`select from ${table} where app_name = 'last'`))),
        (found) => found.every(({ rowCount }) => rowCount === 2),
        90_000,
      ),
    );
  }

  async function inUnleash<T>(use: (db: ReturnType<typeof openPostgres>) => Promise<T>): Promise<T> {
    const { databaseUrl: url } = unleash;
    const db = openPostgres({ url, tls: undefined, maxConnections: 1, log: world.log });
    try {
      return await use(db);
    } finally {
      await db.end();
    }
  }
}

const NOTHING: Stored = { metrics: [], instances: [], strategies: [], samples: [] };

/** The cases of each row of the document. */
function byPlace(cases: readonly ZooCase[]): (readonly ZooCase[])[] {
  const places = new Map<string, ZooCase[]>();
  for (const one of cases) {
    const place = `${one.path.path} ${one.place}`;
    places.set(place, [...(places.get(place) ?? []), one]);
  }
  return [...places.values()];
}

/** Members and ways to send a body, by path. */
function kindOfPlace([first]: readonly ZooCase[]): string {
  return `${first?.path.name ?? ''} ${first?.envelope === undefined ? 'member' : 'way'}`;
}

function isTaken(status: number, { path, place, kind, envelope }: ZooCase): boolean {
  const rejections = envelope === undefined ? [400] : [400, 413, 415];
  expect(status, `${path.path} ${place}: ${kind}`).to.be.oneOf([200, 202, ...rejections]);
  return !rejections.includes(status);
}

/** What is stored of its application, and of the one that it names instead. */
function storedOf({ app, place, value, path }: ZooCase, of: (app: string) => Stored): Stored {
  if (!/^(\w+\[\]\.)?appName$/.test(place)) return of(app);
  const [own, other] = [of(app), of(textOfValue(value))];
  const isOwn = (text: string): boolean => text.startsWith(`${path.name}-`);
  return {
    metrics: [...own.metrics, ...other.metrics.filter(isOwn)],
    instances: [...own.instances, ...other.instances.filter(isOwn)],
    strategies: own.strategies,
    samples: own.samples,
  };
}

function rulesOf(zooCase: ZooCase, outcomes: Outcomes, difference: Difference): number[] {
  return RULES.flatMap(({ about, explains }, index) =>
    about.includes(difference) && explains(zooCase, outcomes) ? [index] : [],
  );
}

function shown({ unleash, flagmeter }: Outcomes, difference: Difference): string[] {
  return [unleash, flagmeter].map((one) =>
    JSON.stringify(difference === 'isTaken' ? one.isTaken : one.stored[difference]),
  );
}

function nameOf({ zooCase: { path, place, kind } }: Pick<Seen, 'zooCase'>): string {
  return `${path.path} ${place}: ${kind}`;
}

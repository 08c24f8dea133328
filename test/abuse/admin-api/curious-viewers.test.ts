import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { type AdminWorld, createCountedAdminWorld } from '../../support/admin-api/admin.ts';
import { type Canary, forkAttacked, releaseCanary } from '../../support/attacks/canary/canary.ts';
import {
  type Asking,
  type ClickHouseAccess,
  askManyTimes,
  holdAPlace,
  holdMemory,
} from '../../support/attacks/readers.ts';
import { type OwnClickHouse, ownClickHouse } from '../../support/stack/engines/own-engines.ts';
import { eventually } from '../../support/eventually.ts';
import { itByTurns, itNightly } from '../../support/nightly.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';

const CALLERS = 40;
const BATCHES = 50;
/** Errors of ClickHouse that concern the user, not the server. */
const TOO_MANY = /^Too many simultaneous queries for user/;
const TOO_MUCH = /^User memory limit exceeded/;
/** More by this number than may run at once according to infra/clickhouse/users.xml. */
const BEYOND = 4;
const PLACES = { owner: 204, flagmeter_reader: 54, analyst: 20 } as const;
/** More than fit into the memory of readers or of analysts. */
const HOLDERS = 12;
/** Longer than the canary needs. No one can change the limits of the user who counts. */
const SECONDS = { owner: 4, flagmeter_reader: 20, analyst: 20 } as const;
const USAGE = '/api/admin/metrics/unknown-flags';

const itInTurn = itByTurns(2);

/** On a separate ClickHouse, because exhausted reader limits would delay other tests. */
describe('people who send too many queries', () => {
  let clickhouse: OwnClickHouse;
  let world: AdminWorld;
  let ingest: ServiceProcess;

  before(async () => {
    clickhouse = await ownClickHouse();
    world = await createCountedAdminWorld(clickhouse.access);
    ingest = await forkAttacked(world, 'ingest');
    await world.fork('worker');
  });
  after(async () => {
    await world.dispose();
    await clickhouse.dispose();
  });

  it('cost the engines one read a second when all request the accounting, and all get its answer', async () => {
    const startedAt = Date.now();
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, () => world.api.get('/api/admin/metrics/accounting')),
    );

    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    // An answer is reused for a second, which may pass on a busy machine before the last request arrives.
    const seconds = (Date.now() - startedAt) / 1000;
    expect(new Set(answers.map(({ body }) => (body as { at: string }).at)).size).to.be.at.most(1 + seconds);
  });

  // By day, a greedy Viewer gets it.
  itNightly(
    'get 429 instead of an endless queue when one requests the accounting since many times',
    async () => {
      const answers = await Promise.all(
        Array.from({ length: CALLERS }, (_, index) =>
          world.api.get(`/api/admin/metrics/accounting?since=${index + 1}h`),
        ),
      );

      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200, 429]));
    },
  );

  itInTurn(
    'get 503 while others occupy every query slot of the readers, and cost counting nothing',
    async () => {
      const canary = await releaseCanary(ingest);
      await hold('flagmeter_reader', TOO_MANY);
      await fillSlotsOfReader();
      const answers = await askForUsage();
      await expectCounting(canary);
      await release('flagmeter_reader');

      expect(answers).to.deep.equal(new Set([503]));
      await canary.expectUnharmed();
    },
  );

  itNightly(
    'cost neither counting nor the admin API anything as analysts who occupy all their query slots',
    async () => {
      const canary = await releaseCanary(ingest);
      await hold('analyst', TOO_MANY);
      await usageIsAnswered();
      await expectCounting(canary);
      await release('analyst');

      await canary.expectUnharmed();
    },
  );

  itInTurn('cost counting nothing when readers and analysts use all of their memory', async () => {
    const canary = await releaseCanary(ingest);
    await hold('flagmeter_reader', TOO_MUCH);
    await hold('analyst', TOO_MUCH);
    await expectCounting(canary);
    await release('flagmeter_reader');
    await release('analyst');

    await canary.expectUnharmed();
  });

  itNightly('leave readers their query slots even as the user who counts', async () => {
    const asOwner = await hold('owner', TOO_MANY);
    await usageIsAnswered();
    await eventually(
      () => Promise.resolve(asOwner.tally()),
      ({ done = 0 }) => done > 0,
    );
  });

  /**
   * Sends more queries than this user may run. Resolves when ClickHouse has rejected some and the others are running.
   */
  async function hold(username: keyof typeof PLACES, rejection: RegExp): Promise<Asking> {
    const seconds = SECONDS[username];
    const [count, query] =
      rejection === TOO_MUCH ? [HOLDERS, holdMemory(seconds)] : [PLACES[username], holdAPlace(seconds)];
    const asking = askManyTimes(as(username), count, query);
    await eventually(
      () => Promise.resolve(asking.tally()),
      (tally) => Object.keys(tally).some((fate) => rejection.test(fate)),
    );
    return asking;
  }

  /** Of the slots, other queries may have held some while ours were rejected. */
  async function fillSlotsOfReader(): Promise<void> {
    const username = 'flagmeter_reader';
    const fill = async (): Promise<number> => {
      const [running] = await world.query<{ count: number }>(
        'select toUInt32(count()) as count from system.processes where user = {username:String}',
        { username },
      );
      const free = PLACES[username] - BEYOND - (running?.count ?? 0);
      askManyTimes(as(username), free, holdAPlace(SECONDS[username]));
      return free;
    };
    await eventually(fill, (free) => free === 0);
  }

  async function release(username: string): Promise<void> {
    await runStatement(world.clickhouse, `kill query where user = '${username}' sync`);
  }

  function as(username: string): ClickHouseAccess {
    return { ...world.config.clickhouse, username };
  }

  /** Resolves when all callers got an answer at the same time. On a busy machine some may wait too long at first. */
  async function usageIsAnswered(): Promise<void> {
    await eventually(askForUsage, (answers) => answers.size === 1 && answers.has(200));
  }

  async function askForUsage(): Promise<Set<number>> {
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => world.api.get(USAGE)));
    return new Set(answers.map(({ status }) => status));
  }

  /** Batches are answered, and their metrics are stored. */
  async function expectCounting(canary: Canary): Promise<void> {
    await canary.answered(BATCHES);
    const stored = () =>
      world.query<{ yes: number }>('select toUInt32(sum(u.yes)) as yes from usage_by_hour as u');
    const [before] = await stored();
    await eventually(stored, ([now]) => (now?.yes ?? 0) > (before?.yes ?? 0));
  }
});

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createRandom } from '../../support/builders/random.ts';
import { eventually } from '../../support/eventually.ts';
import { describeNightly, isNight, itByTurns } from '../../support/nightly.ts';
import { type FlagmeterStart, launchStart } from '../../support/stack/processes/flagmeter-start.ts';
import { aFreshMetric, bodyOf } from '../../support/requests/post.ts';
import { Ledger } from '../../support/stories/ledger.ts';
import { startLoad } from '../../support/stories/load.ts';
import { CLIENT_TOKEN, type World, sharedWorld } from '../../support/world.ts';
import { testWithoutRedis } from './without-redis.ts';

const itInTurn = itByTurns(2);

const READABLE = 'flagmeter_accounting_readable{process="standalone"} 1';

describe('flagmeter start with INGEST_PROCESSES=2 and without Redis', () => {
  const world = sharedWorld({
    INGEST_PROCESSES: '2',
    REDIS_URL: '',
    MAX_CONNECTIONS: '40',
    KAFKA_COUNTS_PARTITIONS: '2',
  });
  let start: FlagmeterStart;

  before(async () => {
    start = await launchStart(world, {});
  });
  after(async () => {
    await start.stop();
    await world.dispose();
  });

  it('gives each process a part of the connections, and shows the metrics of all in one scrape', async () => {
    for (let sent = 0; sent < 10; sent += 1) expect(await send(start.url, false)).to.equal('202');
    // On a busy machine, reading the accounting takes longer than a scrape waits, and a later one has it.
    const lines = await eventually(scrape, (seen) => seen.includes(READABLE));
    const accepted = lines.filter((line) => /^flagmeter_ingest_requests_total{.*answer="202"/.test(line));
    expect(accepted.map(nameOf)).to.have.members(['standalone-1', 'standalone-2']);
    const [first = 0, second = 0] = accepted.map(valueOf);
    expect(first + second).to.equal(10);
    expect(Math.min(first, second)).to.be.greaterThan(0);
    const readable = lines.filter((line) => line.startsWith('flagmeter_accounting_readable'));
    expect(readable).to.deep.equal([READABLE]);
    for (const name of ['standalone-1', 'standalone-2', 'worker'])
      expect(lines).to.include(`flagmeter_process_up{process="${name}"} 1`);
  });

  it('divides a limit among them', async () => {
    const agent = new Agent({ keepAlive: true });
    const held = await Promise.all(Array.from({ length: 60 }, () => send(start.url, agent)));
    // A busy process gets fewer connections, so the other one may reach its part before all of them are used.
    expect(held.filter((answer) => answer === '202').length).to.be.within(20, 40);
    agent.destroy();
    await eventually(
      async () => scrape().catch(() => []),
      (lines) => lines.length > 0,
    );
  });

  it('shows the metrics of the others while one is frozen', async () => {
    const frozen = start.pids().get('standalone-2') ?? 0;
    process.kill(frozen, 'SIGSTOP');
    try {
      const lines = await eventually(
        () => scrape(AbortSignal.timeout(5000)).catch(() => []), // the frozen process may get a connection
        (now) => now.length > 0,
      );
      expect(lines).to.include('flagmeter_process_up{process="standalone-1"} 1');
      expect(lines).to.include('flagmeter_process_up{process="standalone-2"} 0');
    } finally {
      process.kill(frozen, 'SIGCONT');
    }
  });

  itInTurn('replaces one process after the other on SIGUSR2 without a rejected request', async () => {
    await expectRolling(world, start);
  });

  itInTurn('loses and doubles nothing when one of them is killed under load', async () => {
    start.expectTrouble();
    const ledger = new Ledger();
    const load = startLoad({ url: () => start.url, ledger, random: createRandom(1), pauseMs: 50 });
    await load.acknowledged(20);
    for (const name of isNight() ? ['standalone-1', 'standalone-2'] : ['standalone-2']) {
      const listening = start.countListening();
      process.kill(start.pids().get(name) ?? 0, 'SIGKILL');
      await load.acknowledged(20);
      // If both were unreachable at the same time, connections would be refused.
      await eventually(
        () => Promise.resolve(start.countListening()),
        (now) => now > listening,
      );
    }
    await load.stop();
    const { doubled, lost, acknowledged } = await ledger.examineAmongOthers(world, 90_000);
    expect({ doubled, lost }).to.deep.equal({ doubled: 0, lost: 0 });
    expect(acknowledged).to.be.at.least(40);
  });

  testWithoutRedis(() => ({ world, start }));

  async function scrape(signal?: AbortSignal): Promise<string[]> {
    const init = { headers: { connection: 'close' }, ...(signal && { signal }) };
    return (await (await fetch(`${start.url}/internal-backstage/prometheus`, init)).text()).split('\n');
  }
});

describeNightly('flagmeter start with INGEST_PROCESSES=1', () => {
  const world = sharedWorld({ INGEST_PROCESSES: '1', KAFKA_COUNTS_PARTITIONS: '2' });
  let start: FlagmeterStart;

  before(async () => {
    start = await launchStart(world, {});
  });
  after(() => world.dispose());

  it('replaces its processes on SIGUSR2 without a rejected request', async () => {
    await expectRolling(world, start);
    expect(await start.stop()).to.equal(0);
  });
});

/** Replaces all processes under load. Every request gets a 202, and every batch is counted once. */
async function expectRolling(world: World, start: FlagmeterStart): Promise<void> {
  const before = await countedEvaluations(world);
  const old = [...start.pids().values()];
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true }), false, false] as const;
  const clients = startClients(start.url, agents);
  start.signal('SIGUSR2');
  await eventually(
    () => Promise.resolve(start.readLog()),
    (log) => /"msg":"processes (not )?replaced"/.test(log),
    100_000,
  );
  await sleep(200);
  const answers = await clients.stop();
  expect([...answers.keys()]).to.deep.equal(['202']);
  expect([...start.pids().values()].filter((pid) => old.includes(pid))).to.deep.equal([]);
  await world.settled();
  expect((await countedEvaluations(world)) - before).to.equal(answers.get('202'));
}

async function countedEvaluations(world: World): Promise<number> {
  await world.settled();
  const [row] = await world.query<{ yes: string }>('select sum(yes) as yes from usage_by_hour');
  return Number(row?.yes);
}

/** Clients that send one batch after another. Returns how often there was each answer. */
function startClients(url: string, agents: readonly (Agent | false)[]) {
  const answers = new Map<string, number>();
  let isStopping = false;
  const working = agents.map(async (agent) => {
    while (!isStopping) {
      const answer = await send(url, agent);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      await sleep(50);
    }
    if (agent !== false) agent.destroy();
  });
  return {
    async stop(): Promise<ReadonlyMap<string, number>> {
      isStopping = true;
      await Promise.all(working);
      return answers;
    },
  };
}

/** Sends one evaluation. Returns the status, or the code of the error. Without an agent, on a new connection. */
function send(url: string, agent: Agent | false): Promise<string> {
  const body = bodyOf({ metrics: [aFreshMetric({ yes: 1, no: 0, variants: {} })] });
  const headers = { authorization: CLIENT_TOKEN, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const sent = request(`${url}/edge/metrics`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => {
        resolve(String(answer.statusCode));
      });
    });
    sent.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
    sent.end(body);
  });
}

function nameOf(line: string): string | undefined {
  return /process="([^"]*)"/.exec(line)?.[1];
}

function valueOf(line: string): number {
  return Number(line.split(' ').at(-1));
}

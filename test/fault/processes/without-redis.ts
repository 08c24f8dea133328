import { Agent, type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { createMachineId, openCredentials, readMachines } from '#base/auth';
import { examine } from '#tooling/operations';
import { type Api, openApi } from '../../support/admin-api/admin.ts';
import { eventually } from '../../support/eventually.ts';
import { bodyOf } from '../../support/requests/post.ts';
import type { FlagmeterStart } from '../../support/stack/processes/flagmeter-start.ts';
import type { World } from '../../support/world.ts';

const ROUNDS = 3;
/** New connections, which go to the processes in turn. */
const CONNECTIONS = 8;
const LIMIT = 1000;

export function testWithoutRedis(
  given: () => { readonly world: World; readonly start: FlagmeterStart },
): void {
  let world: World;
  let start: FlagmeterStart;
  let api: Api;

  before(async () => {
    ({ world, start } = given());
    api = await openApi(start.url);
  });

  it('rejects a revoked token soon in every process', async () => {
    const delays: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, secret } = await aToken();
      expect(await statusesOf(secret)).to.deep.equal([202]);
      await revoke(id);
      const revokedAt = Date.now();
      await eventually(() => statusesOf(secret), isRejected);
      delays.push(Date.now() - revokedAt);
    }
    // The fastest round, because the machine may be busy during one of them. A process that hears nothing takes a minute.
    expect(Math.min(...delays)).to.be.lessThan(10_000);
  });

  it('adds up the requests of a token in all processes', async () => {
    const { secret } = await aToken({ rateLimit: LIMIT });
    const sent = 20;
    for (let made = 0; made < sent; made += 1) expect(await send(secret)).to.include({ statusCode: 202 });
    // One process gets all requests of one connection.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let own = 0;
    await eventually(
      () => {
        own += 1;
        return send(secret, agent);
      },
      ({ headers }) => headers['ratelimit-remaining'] === String(LIMIT - sent - own),
    );
    agent.destroy();
    await eventually(
      async () => (await fetch(`${start.url}/internal-backstage/prometheus`)).text(),
      (scraped) => scraped.match(/^flagmeter_ingest_rates_shared{.*} 1$/gm)?.length === 2,
    );
  });

  it('rejects a token that was revoked while a process was down in its successor too', async () => {
    const { id, secret } = await aToken();
    expect(await statusesOf(secret)).to.deep.equal([202]);
    start.expectTrouble();
    const listening = start.countListening();
    const killed = start.pids().get('standalone-1') ?? 0;
    process.kill(killed, 'SIGKILL');
    await eventually(
      () => revoke(id).catch(() => undefined), // it may have had the connection
      (revoked) => revoked !== undefined,
    );
    await eventually(
      () => Promise.resolve(start.countListening()),
      (now) => now > listening,
    );
    await eventually(() => statusesOf(secret), isRejected);
  });

  it('reports a process of another one, which does not hear of its revocations, in doctor and in the log', async () => {
    expect((await readMachines(world.db)).names).to.have.length(1);
    const channel = { connected: true, on: () => undefined };
    const supervisor = { machineId: createMachineId(), channel };
    const other = openCredentials(world.config, world.log, { supervisor });
    try {
      await eventually(
        () => readMachines(world.db),
        ({ areApart }) => areApart,
      );
      const findings = await examine(world.config, world.log);
      const found = findings.find(({ check }) => check === 'machines');
      expect(found?.advice).to.include('REDIS_URL is required');
      expect(found?.text.match(/\/\d+/g)).to.have.length(2);
      await revoke((await aToken()).id);
      await eventually(
        () => Promise.resolve(start.readLog()),
        (log) => log.includes('revocation not announced to other machines'),
      );
    } finally {
      await other.close();
    }
    await eventually(
      () => readMachines(world.db),
      ({ areApart }) => !areApart,
    );
  });

  async function aToken(terms: object = {}): Promise<{ id: string; secret: string }> {
    const { body } = await api.post('/api/admin/api-tokens', {
      tokenName: 'passing',
      type: 'admin',
      ...terms,
    });
    return body as { id: string; secret: string };
  }

  async function revoke(id: string): Promise<true> {
    const { status } = await api.delete(`/api/admin/api-tokens/${id}`);
    expect(status).to.be.oneOf([200, 404]);
    return true;
  }

  /** The different answers to batches on new connections. */
  async function statusesOf(secret: string): Promise<(number | undefined)[]> {
    const answers = await Promise.all(Array.from({ length: CONNECTIONS }, () => send(secret)));
    return [...new Set(answers.map(({ statusCode }) => statusCode))];
  }

  /** Sends an empty batch, without an agent on a new connection. */
  function send(authorization: string, agent: Agent | false = false): Promise<IncomingMessage> {
    const headers = { authorization, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const sent = request(`${start.url}/edge/metrics`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        answer.once('end', () => {
          resolve(answer);
        });
      });
      sent.once('error', reject);
      sent.end(bodyOf());
    });
  }
}

function isRejected(statuses: readonly unknown[]): boolean {
  return statuses.length === 1 && statuses[0] === 401;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Api, sharedAdminWorld, runAdmin } from '../../../../support/admin-api/admin.ts';
import { eventually } from '../../../../support/eventually.ts';
import { type TcpProxy, startTcpProxy } from '../../../../support/stack/proxies/tcp-proxy.ts';
import { ADMIN_TOKEN } from '../../../../support/world.ts';

describe('reads of the admin API whose client has left', () => {
  const world = sharedAdminWorld();
  let wire: TcpProxy;
  let api: Api;
  before(async () => {
    const address = new URL(world.config.clickhouse.url);
    wire = await startTcpProxy(() => Number(address.port));
    api = await runAdmin(world, { CLICKHOUSE_URL: `http://127.0.0.1:${wire.port}` });
  });
  after(async () => {
    await world.dispose();
    await wire.close();
  });

  it('take no room of the next ones', async () => {
    const tab = new AbortController();
    const ask = async (hours: number, signal?: AbortSignal): Promise<number> => {
      const url = `${api.url}/api/admin/metrics/accounting?since=${hours}h`;
      const answer = await fetch(url, { headers: { authorization: ADMIN_TOKEN }, signal: signal ?? null });
      await answer.arrayBuffer();
      return answer.status;
    };
    wire.holdRequests();
    // One is read and two wait, so one of four is rejected.
    const asked = [1, 2, 3, 4].map((hours) => ask(hours, tab.signal));
    const settled = Promise.allSettled(asked);
    expect(await Promise.race(asked)).to.equal(429);
    tab.abort();
    await settled;

    // It is rejected until the server notices that the client has left. Then it waits. Reads without an answer end only later.
    const waits = async (): Promise<boolean> => (await Promise.race([ask(5), sleep(500)])) === undefined;
    await eventually(waits, Boolean, 6000);
    wire.releaseRequests();
    await wire.cut();
    await wire.mend();
    await eventually(
      () => ask(6),
      (status) => status === 200,
    );
  });
});

import { expect } from 'chai';
import { aFeature, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { eventually } from '../../../../support/eventually.ts';
import { listen, untilEvent } from '../../../../support/admin-api/live.ts';
import type { ServiceProcess } from '../../../../support/stack/processes/process.ts';
import { type TcpProxy, startTcpProxy } from '../../../../support/stack/proxies/tcp-proxy.ts';

type Engine = 'clickhouse' | 'postgres';

describe('the live events while an engine is frozen', () => {
  const world = sharedAdminWorld();
  let admin: ServiceProcess;
  const wires: Partial<Record<Engine, TcpProxy>> = {};
  before(async () => {
    const through = async (engine: Engine, address: string): Promise<string> => {
      const { port } = new URL(address);
      const wire = await startTcpProxy(() => Number(port));
      wires[engine] = wire;
      return address.replace(`:${port}`, `:${wire.port}`);
    };
    const { clickhouse, postgres } = world.config;
    const env = {
      CLICKHOUSE_URL: await through('clickhouse', clickhouse.url),
      DATABASE_URL: await through('postgres', postgres.url),
    };
    admin = await world.fork('admin', env);
  });
  after(async () => {
    await world.dispose();
    await Promise.all(Object.values(wires).map((wire) => wire.close()));
  });

  for (const [engine, part] of [
    ['clickhouse', 'counts'],
    ['postgres', 'change-requests'],
  ] as const)
    it(`name the part of ${engine}, go on with the others, and name it again when it is back`, async () => {
      const listening = await listen(admin.url);
      await untilEvent(listening, 'counts');
      wires[engine]?.swallowAnswers();
      await untilEvent(listening, 'unavailable', (data) => data['part'] === part);
      const others = listening.events.filter(({ name }) => name === 'unavailable');
      expect(others.map(({ data }) => data['part'])).not.to.include('lag');
      await wires[engine]?.cut();
      await wires[engine]?.mend();
      await untilEvent(listening, 'available', (data) => data['part'] === part);
      const before = listening.events.length;
      await eventually(
        () => Promise.resolve(listening.events.length),
        (now) => now > before,
      );
      expect(admin.hasEnded()).to.equal(false);
      listening.leave();
    });

  it('show steps of change requests again afterwards', async () => {
    const listening = await listen(admin.url);
    await untilEvent(listening, 'counts');
    await aFeature(world.api, 'f');
    const requests = '/api/admin/projects/default/environments/production/change-requests';
    const { body } = await world.api.post(requests, {
      changes: [{ feature: 'f', action: 'archiveFeature' }],
    });
    const { id } = body as { id: number };
    await world.api.put(`/api/admin/projects/default/change-requests/${id}/state`, { state: 'In review' });
    await untilEvent(listening, 'change-request', (data) => data['changeRequestId'] === id);
    listening.leave();
  });
});

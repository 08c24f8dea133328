import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { aFeature, aUser, sharedAdminWorld } from '../../../support/admin-api/admin.ts';
import { itNightly } from '../../../support/nightly.ts';
import { ADMIN_TOKEN } from '../../../support/world.ts';

type Shown = {
  version: number;
  events: { id: number; project: string; featureName: string }[];
  totalEvents: number;
};

const MANY = 200_000;
/** As many events as a busy machine can write within the deadline of a statement. */
const AT_ONCE = 10_000;

describe('events', () => {
  const world = sharedAdminWorld();

  async function addEvents(count: number, project: string): Promise<void> {
    for (let from = 0; from < count; from += AT_ONCE) {
      await world.db.query(
        `insert into events (type, created_by, project, feature_name, data, created_at)
         select 'feature-updated', 'ana', $1, 'f' || (i % 100), jsonb_build_object('i', i), now() - interval '1 hour'
         from generate_series($2::int, $3::int) as i`,
        [project, from + 1, Math.min(count, from + AT_ONCE)],
      );
    }
  }

  it('are the newest hundred of the instance without a project, and all events of a project', async () => {
    const { api } = world;
    await addEvents(1234, 'default');
    const latest = (await api.get('/api/admin/events')).body as Shown;
    expect(latest.events).to.have.length(100);
    expect(latest.totalEvents).to.be.at.least(1234);
    expect((await api.get('/api/admin/events?project=')).body).to.deep.equal(latest);
    const all = (await api.get('/api/admin/events?project=default')).body as Shown;
    expect(all).to.include({ version: 1, totalEvents: 1234 });
    expect(new Set(all.events.map(({ id }) => id)).size).to.equal(1234);
    expect(all.events.map(({ id }) => id)).to.deep.equal(
      all.events.map(({ id }) => id).sort((one, other) => other - one),
    );
    expect((await api.get('/api/admin/events?project=nowhere')).body).to.deep.equal({
      version: 1,
      events: [],
      totalEvents: 0,
    });
    expect((await api.get('/api/admin/events?project=a&project=b')).status).to.equal(400);
  });

  it('of a feature are complete; an unknown name has none', async () => {
    const { api } = world;
    const { body } = await api.get('/api/admin/events/f1');
    expect(body).to.include({ version: 1, toggleName: 'f1', totalEvents: 13 });
    expect((await api.get('/api/admin/events/nothing')).body).to.deep.equal({
      version: 1,
      toggleName: 'nothing',
      events: [],
      totalEvents: 0,
    });
    expect((await api.get('/api/admin/events/a%00b')).body).to.include({ totalEvents: 0 });
  });

  it('never contain a secret', async () => {
    const { api } = world;
    const { token } = await aUser(api, 'Viewer', 'vera');
    await aFeature(api, 'quiet');
    expect(JSON.stringify((await api.get('/api/admin/events')).body)).not.to.contain(token);
  });

  itNightly(
    'stream by the hundred thousand in flat memory, and a reader who stalls occupies no connection',
    async () => {
      await addEvents(MANY, 'large');
      // Newer versions of Node would let the young generation grow further before they collect it.
      const service = await world.fork('admin', { NODE_OPTIONS: '--max-semi-space-size=16' });
      const url = `${service.url}/api/admin/events?project=large`;
      const headers = { authorization: ADMIN_TOKEN };
      await (await fetch(`${service.url}/api/admin/events?project=default`, { headers })).arrayBuffer();
      const before = residentKiB(service.pid);
      const startedAt = Date.now();
      const response = await fetch(url, { headers });
      let sizeBytes = 0;
      let tail = '';
      const seen: number[] = [];
      for await (const chunk of response.body ?? []) {
        const bytes = Buffer.from(chunk as Uint8Array); // a body yields bytes
        sizeBytes += bytes.length;
        tail = (tail + bytes.subarray(-100).toString()).slice(-100);
        seen.push(residentKiB(service.pid) / 1024);
      }
      expect(tail.endsWith(`"totalEvents":${MANY}}`), tail).to.equal(true);
      const half = Math.floor(seen.length / 2);
      const [first, second] = [Math.max(...seen.slice(0, half)), Math.max(...seen.slice(half))];
      // oxlint-disable-next-line no-console -- the measured figure
      console.log(
        `      ${MANY} events, ${Math.round(sizeBytes / 1e6)} MB in ${Date.now() - startedAt} ms; RSS in MiB: ` +
          `${Math.round(before / 1024)} before, at most ${Math.round(first)} in the first half, ${Math.round(second)} in the second`,
      );
      // The heap grows to its working size at the beginning and keeps it. The second half alone could otherwise exceed
      // 100.
      expect(second - first).to.be.lessThan(90);
      expect(second).to.be.lessThan(before / 1024 + 150);

      // Six readers who stall occupy none of the four connections for lists, so other readers get answers.
      const leaving = new AbortController();
      const stalled = await Promise.all(
        Array.from({ length: 6 }, () => fetch(url, { headers, signal: leaving.signal })),
      );
      expect(stalled.map(({ status }) => status)).to.deep.equal(Array(6).fill(200));
      const again = await fetch(url, { headers });
      expect(again.status).to.equal(200);
      expect((await fetch(`${service.url}/api/admin/strategies`, { headers })).status).to.equal(200);
      leaving.abort();
      await again.body?.cancel();
    },
  );
});

function residentKiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

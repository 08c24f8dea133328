import { expect } from 'chai';
import type { Relays } from '../../../../services/admin/usage/relays/schema.ts';
import { sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import { anArrivedReport as report, storeReports } from '../../../support/senders/relays.ts';
import { CLIENT_TOKEN } from '../../../support/world.ts';

const PATH = '/api/admin/relays';
const MINUTE_MS = 60_000;

describe('GET /api/admin/relays', () => {
  const world = sharedCountedAdminWorld();
  let now: number;
  const ago = (minutes: number): number => now - minutes * MINUTE_MS;

  async function list(query = ''): Promise<Relays> {
    return (await world.api.get(`${PATH}${query}`)).body as Relays; // the caller compares it with the document
  }

  it('is empty before the first report', async () => {
    expect(await list()).to.deep.equal({
      total: 0,
      totalReporting: 0,
      totalSilent: 0,
      nextCursor: null,
      relays: [],
    });
  });

  it('needs a token that may read', async () => {
    expect((await world.api.get(PATH, { token: null })).status).to.equal(401);
    expect((await world.api.get(PATH, { token: CLIENT_TOKEN })).status).to.equal(403);
  });

  describe('with reports', () => {
    before(async () => {
      now = Date.now();
      const grandchild = { identifier: 'grandchild', appName: 'edge' };
      const child = {
        identifier: 'child',
        appName: 'edge',
        edgeVersion: '19.8.0',
        connectedEdges: [grandchild],
      };
      const held = (revisionId: number) => ({
        edgeApiKeyRevisionIds: [{ environment: 'production', projects: ['*'], revisionId }],
      });
      await storeReports(
        world,
        report('quiet', ago(20), { ...held(999), region: 'us-east-1' }),
        report('one', ago(2), { ...held(410), connectedEdges: [child] }),
        report('one', ago(1), { ...held(411), connectedEdges: [child] }),
        report('two', ago(1), held(415)),
        report('left', ago(30)),
        report('left', ago(30) + 10_000),
      );
    });

    it('returns silent relays first, and stopped ones last', async () => {
      const { relays, ...totals } = await list();
      expect(totals).to.deep.equal({ total: 4, totalReporting: 2, totalSilent: 1, nextCursor: null });
      expect(relays.map(({ relayId, state }) => [relayId, state])).to.deep.equal([
        ['quiet', 'silent'],
        ['one', 'reporting'],
        ['two', 'reporting'],
        ['left', 'stopped'],
      ]);
    });

    it('returns what a relay reported, compared with the newest configuration', async () => {
      const one = (await list()).relays.find(({ relayId }) => relayId === 'one');
      const { nested: _, ...relay } = one ?? { nested: [] };
      expect(relay).to.deep.equal({
        appName: 'unleash-edge',
        relayId: 'one',
        state: 'reporting',
        version: '20.4.1',
        region: 'eu-west-1',
        hosting: 'self-hosted',
        environment: 'production',
        startedAt: '2026-11-25T08:00:00.000Z',
        firstSeenAt: new Date(ago(2)).toISOString(),
        lastReportAt: new Date(ago(1)).toISOString(),
        requestsPerSecond: 2.167,
        refused: 0,
        featuresLatency: { averageMs: 11.5, p99Ms: 48.25 },
        metricsLatency: { averageMs: 21, p99Ms: 60 },
        streamingClients: 3,
        memoryBytes: 52_428_800,
        revisions: [{ environment: 'production', projects: ['*'], revision: 411, newestRevision: 415 }],
        totalNested: 2,
      });
    });

    it('returns the relays behind it, which name their parents', async () => {
      const one = (await list()).relays.find(({ relayId }) => relayId === 'one');
      expect(one?.nested.map(({ relayId, parentId, version }) => [relayId, parentId, version])).to.deep.equal(
        [
          ['child', 'one', '19.8.0'],
          ['grandchild', 'child', null],
        ],
      );
      expect(one?.nested[1]).to.include({ refused: null, featuresLatency: null, memoryBytes: null });
    });

    it('returns pages', async () => {
      const first = await list('?limit=2');
      const pages = [first, await list(`?limit=2&cursor=${first.nextCursor ?? ''}`)];
      expect(pages.map(({ relays }) => relays.map(({ relayId }) => relayId))).to.deep.equal([
        ['quiet', 'one'],
        ['two', 'left'],
      ]);
      expect(pages.map(({ total }) => total)).to.deep.equal([4, 4]);
      expect(pages[1]?.nextCursor).to.equal(null);
      expect((await world.api.get(`${PATH}?cursor=x`)).status).to.equal(400);
      expect((await world.api.get(`${PATH}?limit=101`)).status).to.equal(400);
    });
  });
});

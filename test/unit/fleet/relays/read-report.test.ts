import { expect } from 'chai';
import { MAX_NESTED_RELAYS, decodeRelayReport, encodeRelayReport, readRelayReport } from '#fleet/relays';
import { aRelayReport } from '../../../support/builders/relay-reports.ts';

describe('the report of a relay', () => {
  it('is read with everything that Edge sends', () => {
    expect(relaysOf(aRelayReport())).to.deep.equal([
      {
        appName: 'unleash-edge',
        relayId: '01K3EDGE0000000000000000AA',
        parentId: undefined,
        depth: 0,
        version: '20.4.1',
        region: 'eu-west-1',
        hosting: 'self-hosted',
        startedAt: Date.parse('2026-11-25T08:00:00Z'),
        requests: 130,
        refusedTotal: 7,
        cpuSecondsTotal: 12,
        memoryBytes: 52_428_800,
        streamingClients: 3,
        latency: {
          features: { averageMs: 11.5, p99Ms: 48.25 },
          metrics: { averageMs: 21, p99Ms: 60 },
          reports: undefined,
        },
        revisions: [{ environment: 'production', projects: ['*'], revision: 412 }],
      },
    ]);
  });

  it('may leave out everything but its names, or send null', () => {
    const bare = { identifier: 'a', appName: 'edge' };
    const nulls = Object.fromEntries(Object.keys(aRelayReport()).map((name) => [name, null]));
    expect(relaysOf({ ...nulls, ...bare })).to.deep.equal(relaysOf(bare));
    expect(relaysOf(bare)[0]).to.include({ requests: 0, memoryBytes: undefined, refusedTotal: undefined });
  });

  it('may have members that nobody knows', () => {
    expect(relaysOf({ identifier: 'a', appName: 'edge', moons: [{ io: 1 }] })).to.have.lengthOf(1);
  });

  for (const [name, body] of [
    ['is a list', []],
    ['has no identifier', { appName: 'edge' }],
    ['has an empty name', { identifier: 'a', appName: '' }],
    ['has a name with a control character', { identifier: 'a\n', appName: 'edge' }],
    ['has a version that is a number', { identifier: 'a', appName: 'edge', edgeVersion: 20 }],
    [
      'has negative requests',
      { identifier: 'a', appName: 'edge', requestsSinceLastReport: { a: { requests200: -1 } } },
    ],
    ['has a wrong nested relay', { identifier: 'a', appName: 'edge', connectedEdges: [{ appName: 'edge' }] }],
  ] as const)
    it(`is rejected if it ${name}`, () => {
      expect(readRelayReport(body)).to.have.property('problems').with.lengthOf(1);
    });

  it('names the place of a problem in a nested relay', () => {
    const read = readRelayReport(aRelayReport({ connectedEdges: [{ appName: 'edge' }] }));
    expect(read).to.have.nested.property('problems[0].path', '/connectedEdges/0');
  });

  it('becomes a flat list in which each nested relay names its parent', () => {
    const grandchild = { identifier: 'c', appName: 'edge' };
    const child = { identifier: 'b', appName: 'edge', connectedEdges: [grandchild] };
    const relays = relaysOf({ identifier: 'a', appName: 'edge', connectedEdges: [child] });
    expect(relays.map(({ relayId, parentId, depth }) => [relayId, parentId, depth])).to.deep.equal([
      ['a', undefined, 0],
      ['b', 'a', 1],
      ['c', 'b', 2],
    ]);
  });

  it('leaves out revisions of names that cannot be stored, and keeps the others', () => {
    const held = (environment: string, projects = ['*']) => ({ environment, projects, revisionId: 1 });
    const edgeApiKeyRevisionIds = [held(''), held('x'.repeat(101)), held('a', ['']), held('b')];
    const [relay] = relaysOf(aRelayReport({ edgeApiKeyRevisionIds }));
    expect(relay?.revisions).to.deep.equal([{ environment: 'b', projects: ['*'], revision: 1 }]);
  });

  it('adds up a nested relay that reported twice, and keeps its later state', () => {
    const nested = (requests200: number, edgeVersion: string) => ({
      identifier: 'b',
      appName: 'edge',
      edgeVersion,
      requestsSinceLastReport: { '/api/client/features': { requests200 } },
    });
    const relays = relaysOf(aRelayReport({ connectedEdges: [nested(2, '19.0.0'), nested(3, '20.0.0')] }));
    expect(relays).to.have.lengthOf(2);
    expect(relays[1]).to.include({ requests: 5, version: '20.0.0' });
  });

  it('is bounded in the number and the depth of nested relays', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ identifier: `n${index}`, appName: 'edge' }));
    expect(relaysOf(aRelayReport({ connectedEdges: many }))).to.have.lengthOf(1 + MAX_NESTED_RELAYS);
    let deep: object = { identifier: 'last', appName: 'edge' };
    for (let depth = 0; depth < 500; depth += 1)
      deep = { identifier: `d${depth}`, appName: 'edge', connectedEdges: [deep] };
    expect(relaysOf(deep).length).to.be.lessThan(10);
  });

  it('has bounded numbers, whatever it says', () => {
    const [relay] = relaysOf(
      aRelayReport({
        requestsSinceLastReport: { a: { requests200: 1e300 } },
        processMetrics: { cpuUsage: 1e300, memoryUsage: 1e300 },
        connectedStreamingClients: 1e300,
        started: '9999-01-01T00:00:00Z',
      }),
    );
    expect(relay?.requests).to.be.at.most(Number.MAX_SAFE_INTEGER);
    expect(relay?.memoryBytes).to.be.at.most(Number.MAX_SAFE_INTEGER);
    expect(relay?.startedAt).to.equal(undefined);
    expect(roundTrip(aRelayReport({ connectedStreamingClients: 1e300 }))).to.not.equal(undefined);
  });

  it('survives its way through Kafka', () => {
    const relays = relaysOf(aRelayReport({ connectedEdges: [{ identifier: 'b', appName: 'edge' }] }));
    const decoded = decodeRelayReport(
      Buffer.from(encodeRelayReport({ tokenId: 't', environment: '*', relays })),
    );
    expect(decoded?.relays).to.deep.equal(JSON.parse(JSON.stringify(relays)));
  });

  it('is no report if the message is of another kind', () => {
    for (const text of ['', '{}', 'null', '{"v":2,"tokenId":"t","environment":"*","relays":[]}'])
      expect(decodeRelayReport(Buffer.from(text))).to.equal(undefined);
    expect(decodeRelayReport(null)).to.equal(undefined);
  });

  function roundTrip(body: object) {
    const message = encodeRelayReport({ tokenId: 't', environment: '*', relays: relaysOf(body) });
    return decodeRelayReport(Buffer.from(message));
  }

  function relaysOf(body: unknown) {
    const read = readRelayReport(body);
    if ('problems' in read) throw new Error(JSON.stringify(read.problems));
    return read.relays;
  }
});

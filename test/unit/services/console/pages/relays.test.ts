import { expect } from 'chai';
import {
  configurationsOf,
  formatBytes,
  formatRate,
  lagOf,
  relaysAnswer,
  treeOf,
} from '../../../../../services/console/pages/usage/relays/relay-rows.ts';
import type { Relay } from '../../../../../services/console/types.ts';

type Nested = Relay['nested'][number];

const SHARED = {
  appName: 'unleash-edge',
  state: 'reporting',
  version: '20.4.1',
  region: null,
  hosting: null,
  environment: 'production',
  startedAt: null,
  firstSeenAt: '2026-11-25T08:00:00.000Z',
  lastReportAt: '2026-11-25T09:00:00.000Z',
  requestsPerSecond: 1,
  refused: null,
  featuresLatency: null,
  metricsLatency: null,
  streamingClients: null,
  memoryBytes: null,
  revisions: [],
} as const;

function aRelay(relayId: string, members: Partial<Relay> = {}): Relay {
  return { ...SHARED, relayId, nested: [], totalNested: 0, ...members, revisions: members.revisions ?? [] };
}

function aNested(relayId: string, parentId: string): Nested {
  return { ...SHARED, relayId, parentId, revisions: [] };
}

function holding(revision: number, newestRevision: number, environment = 'production'): Partial<Relay> {
  return { revisions: [{ environment, projects: ['*'], revision, newestRevision }] };
}

describe('the rows of relays', () => {
  it('list each relay before those behind it, with their depth', () => {
    const nested = [aNested('c', 'b'), aNested('d', 'a'), aNested('b', 'a')];
    const rows = treeOf([aRelay('a', { nested }), aRelay('e')]);
    expect(rows.map(({ relayId, depth }) => [relayId, depth])).to.deep.equal([
      ['a', 0],
      ['d', 1],
      ['b', 1],
      ['c', 2],
      ['e', 0],
    ]);
  });

  it('list relays once that name each other as parent, or a parent that is not listed', () => {
    const nested = [aNested('b', 'c'), aNested('c', 'b'), aNested('d', 'unknown')];
    const rows = treeOf([aRelay('a', { nested })]);
    expect(rows.map(({ relayId }) => relayId)).to.have.members(['a', 'b', 'c', 'd']);
  });

  it('have different keys, even if relays of two tokens have the same names', () => {
    const rows = treeOf([aRelay('a'), aRelay('a')]);
    expect(new Set(rows.map(({ key }) => key)).size).to.equal(2);
  });
});

describe('the answer of the page Relays', () => {
  const answer = (relays: Relay[], totalSilent = 0) =>
    relaysAnswer({
      total: relays.length,
      totalReporting: relays.length - totalSilent,
      totalSilent,
      nextCursor: null,
      relays,
    });

  it('names silent relays, and relays with an old configuration', () => {
    expect(answer([aRelay('a')])).to.equal('1 relay reports');
    const silent = aRelay('b', { state: 'silent', ...holding(1, 9) });
    expect(answer([aRelay('a', holding(9, 9)), silent], 1)).to.equal('1 relay reports, 1 silent');
    expect(answer([aRelay('a', holding(9, 9)), aRelay('b', holding(7, 9))])).to.equal(
      '2 relays report, 1 with an old configuration',
    );
  });

  it('compares each configuration with the newest one', () => {
    const rows = treeOf([
      aRelay('a', holding(9, 9)),
      aRelay('b', holding(7, 9)),
      aRelay('c', holding(3, 3, 'development')),
      aRelay('d', { state: 'silent', ...holding(1, 9) }),
    ]);
    expect(rows.map((row) => lagOf(row))).to.deep.equal([0, 2, 0, 8]);
    expect(configurationsOf(rows)).to.deep.equal([
      { environment: 'development', projects: '*', revision: 3, current: ['c'], behind: [] },
      { environment: 'production', projects: '*', revision: 9, current: ['a'], behind: ['b'] },
    ]);
  });

  it('shows rates and memory in few digits', () => {
    expect([0, 0.04, 2.167, 12.4, 1204.3].map(formatRate)).to.deep.equal([
      '0',
      '< 0.1',
      '2.2',
      '12',
      '1,204',
    ]);
    expect([52_428_800, 1_234_000_000].map(formatBytes)).to.deep.equal(['52 MB', '1.2 GB']);
  });
});

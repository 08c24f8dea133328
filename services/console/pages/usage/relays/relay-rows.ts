import { list } from '#base/words';
import type { Relay, Relays } from '../../../types.ts';
import { formatCount } from '../../../state/format.ts';
import { relaysSentence } from '../../../state/sentences/index.ts';

/** What relays and nested relays have in common. */
type Reported = Pick<
  Relay,
  | 'appName'
  | 'relayId'
  | 'state'
  | 'version'
  | 'region'
  | 'startedAt'
  | 'lastReportAt'
  | 'requestsPerSecond'
  | 'featuresLatency'
  | 'streamingClients'
  | 'memoryBytes'
  | 'revisions'
>;

/** A relay in the tree of relays. */
export type RelayRow = Reported & {
  /** Distinguishes relays that report the same names with different tokens. */
  readonly key: string;
  /** 0 for a relay that reports to flagmeter. */
  readonly depth: number;
};

/** Each relay, and after it the relays behind it. */
export function treeOf(relays: readonly Relay[]): RelayRow[] {
  return relays.flatMap(({ nested, totalNested: _, ...root }, place) => {
    const rows: RelayRow[] = [];
    const placed = new Set<string>();
    const add = (relay: Reported, depth: number): void => {
      const key = JSON.stringify([place, relay.appName, relay.relayId]);
      // Relays that name each other as parent would have no end.
      if (placed.has(key)) return;
      placed.add(key);
      rows.push({ ...relay, key, depth });
      for (const { parentId, ...child } of nested) if (parentId === relay.relayId) add(child, depth + 1);
    };
    add(root, 0);
    // A parent beyond the listed ones.
    for (const { parentId: _parent, ...other } of nested) add(other, 1);
    return rows;
  });
}

/** The first line of the page. */
export function relaysAnswer(all: Relays): string {
  return relaysSentence({
    reporting: all.totalReporting,
    silent: all.totalSilent,
    behind: treeOf(all.relays).filter((row) => row.state === 'reporting' && lagOf(row) > 0).length,
    isWhole: isWhole(all),
  });
}

/** Whether all relays are listed, also those behind others. */
export function isWhole({ total, relays }: Pick<Relays, 'total' | 'relays'>): boolean {
  return relays.length === total && relays.every(({ nested, totalNested }) => nested.length === totalNested);
}

/** By how many revisions a relay is behind the newest one, at most over the keys that it holds. */
export function lagOf({ revisions }: Pick<RelayRow, 'revisions'>): number {
  return Math.max(0, ...revisions.map(({ revision, newestRevision }) => newestRevision - revision));
}

/** The newest configuration of an environment and its projects, and the reporting relays that hold it. */
export type HeldConfiguration = {
  readonly environment: string;
  readonly projects: string;
  readonly revision: number;
  readonly current: readonly string[];
  readonly behind: readonly string[];
};

export function configurationsOf(rows: readonly RelayRow[]): HeldConfiguration[] {
  const found = new Map<string, { -readonly [Key in keyof HeldConfiguration]: HeldConfiguration[Key] }>();
  for (const { state, relayId, revisions } of rows) {
    if (state !== 'reporting') continue;
    for (const { environment, projects: all, revision, newestRevision } of revisions) {
      const projects = list(all);
      const key = JSON.stringify([environment, projects]);
      const held = found.get(key) ?? { environment, projects, revision: 0, current: [], behind: [] };
      held.revision = newestRevision;
      if (revision === newestRevision) held.current = [...held.current, relayId];
      else held.behind = [...held.behind, relayId];
      found.set(key, held);
    }
  }
  return [...found.values()].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function nameOf({ environment, projects }: HeldConfiguration): string {
  return `${environment} ${projects}`;
}

/** 50 MB, 1.2 GB: powers of ten, as the other numbers. */
export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return `${formatCount(Math.round(bytes / 1e6))} MB`;
}

/** 0.4, 12, 1,204. Never rounds to 0 what is not. */
export function formatRate(perSecond: number): string {
  if (perSecond > 0 && perSecond < 0.1) return '< 0.1';
  return perSecond > 0 && perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond));
}

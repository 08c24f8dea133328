import type { Resource } from '../../../api/requests/resource.ts';
import { type BucketCount, sumOf, totalsOf } from '../../../state/chart/counts.ts';
import { formatCount, formatShare } from '../../../state/format.ts';
import type { Usage, UsageSeries } from '../../../state/usage.ts';
import { evaluationsWords } from '../../../state/sentences/index.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Section } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { ShareOn } from '../../../ui/share-on.tsx';
import { Sparkline } from '../../../ui/sparkline.tsx';

type Props = { readonly title: string; readonly usage: Resource<Usage> };

/** The evaluations of each application or environment, with their shares. */
export function FeatureGroups({ title, usage }: Props) {
  return (
    <Section title={title}>
      <Loaded of={usage} lines={3}>
        {(data) => {
          const groups = groupsOf(data);
          return groups.length === 0 ? (
            <Empty>No evaluations in this time.</Empty>
          ) : (
            <Rows caption={title} columns={COLUMNS} items={groups} keyOf={({ key }) => key} />
          );
        }}
      </Loaded>
    </Section>
  );
}

type Group = {
  readonly key: string;
  readonly name: string | null;
  readonly yes: number;
  /** Yes and no, without those that nobody reported. */
  readonly known: number;
  readonly all: number;
  /** Of the evaluations of all groups. */
  readonly whole: number;
  readonly counts: readonly BucketCount[];
  readonly isLastGrowing: boolean;
};

function groupsOf({ series, starts, end, completeUntil }: Usage): Group[] {
  const sums = series.map(({ yes, no, unknown }) => total(yes) + total(no) + total(unknown));
  const whole = sums.reduce((sum, count) => sum + count, 0);
  const groups = series.map((item, index) => ({
    key: keyOf(item),
    name: item.group,
    yes: total(item.yes),
    known: total(item.yes) + total(item.no),
    all: sums[index] ?? 0,
    whole,
    counts: totalsOf(
      [item.yes, item.no, item.unknown].map((counts) => ({ counts })),
      starts.length,
    ),
    isLastGrowing: end > completeUntil,
  }));
  // Some have counts only in the window before.
  return groups.filter(({ all }) => all > 0);
}

function total(counts: readonly BucketCount[]): number {
  return sumOf(counts) ?? 0;
}

/** A group may have the name of anything, also "others". */
function keyOf({ group }: UsageSeries): string {
  return group === null ? 'others' : `group ${group}`;
}

const COLUMNS: readonly Column<Group>[] = [
  {
    id: 'name',
    title: 'Name',
    show: ({ name }) => (name === null ? <span class="muted">others</span> : <Name>{name}</Name>),
  },
  {
    id: 'shape',
    title: 'Trend',
    width: '112px',
    isWide: true,
    show: ({ counts, all, isLastGrowing }) => (
      <Sparkline counts={counts} isLastGrowing={isLastGrowing} label={evaluationsWords(all)} />
    ),
  },
  {
    id: 'evaluations',
    title: 'Evaluations',
    width: '104px',
    isNumber: true,
    label: 'evaluations',
    show: ({ all }) => <span class="number">{formatCount(all)}</span>,
  },
  {
    id: 'share',
    title: 'Share',
    width: '80px',
    isNumber: true,
    label: 'of all',
    show: ({ all, whole }) => <span class="number">{formatShare(all, whole)}</span>,
  },
  {
    id: 'on',
    title: 'On',
    width: '80px',
    isNumber: true,
    label: 'on',
    show: ({ yes, known }) => <ShareOn yes={yes} known={known} />,
  },
];

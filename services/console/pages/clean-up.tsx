import { useVerdicts } from '../api/features.ts';
import { useResource } from '../api/resource.ts';
import type { UnknownFlag, UnknownFlags, Verdict } from '../api/types.ts';
import { formatCount, formatPlural } from '../state/format.ts';
import { kindOf, worthDoing } from '../state/verdict-kinds.ts';
import { Heading } from '../ui/heading.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Empty, Name, Section, Time } from '../ui/parts.tsx';
import { type Column, Rows } from '../ui/rows.tsx';
import { VerdictList } from '../ui/verdict-list.tsx';

/** What can be removed, and which names are wrong. */
export function CleanUp() {
  const verdicts = useVerdicts();
  const unknown = useResource<UnknownFlags>('api/admin/metrics/unknown-flags', { everyMs: 30_000 });
  const answer = verdicts.data && unknown.data && answerOf(verdicts.data.verdicts, unknown.data.unknownFlags);
  return (
    <>
      <Heading page="Clean-up" answer={answer} />
      <Section title="Features">
        <Loaded of={verdicts} lines={8}>
          {(data) => {
            const found = worthDoing(data.verdicts).filter(
              ({ featureName, verdict }) => featureName !== null && verdict !== 'unknown',
            );
            return found.length === 0 ? (
              <Empty>Nothing to clean up.</Empty>
            ) : (
              <VerdictList verdicts={found} />
            );
          }}
        </Loaded>
      </Section>
      <Section title="Unknown names">
        <Loaded of={unknown} lines={3}>
          {({ unknownFlags }) =>
            unknownFlags.length === 0 ? (
              <Empty>Applications evaluate only features that exist.</Empty>
            ) : (
              <Rows
                caption="Unknown names"
                columns={COLUMNS}
                items={unknownFlags}
                keyOf={(item) => `${item.name} ${item.appName} ${item.environment}`}
              />
            )
          }
        </Loaded>
      </Section>
    </>
  );
}

function answerOf(verdicts: readonly Verdict[], unknown: readonly UnknownFlag[]): string {
  const flags = new Set(
    verdicts.filter(({ verdict }) => kindOf(verdict).canGo).map(({ featureName }) => featureName),
  ).size;
  const typos = new Set(unknown.filter(({ nearestName }) => nearestName !== null).map(({ name }) => name))
    .size;
  const parts = [
    ...(flags === 0 ? [] : [`${formatPlural(flags, 'flag')} can go`]),
    ...(typos === 0 ? [] : [formatPlural(typos, 'name is probably a typo', 'names are probably typos')]),
  ];
  return parts.length === 0 ? 'Nothing to clean up' : parts.join(', ');
}

const COLUMNS: readonly Column<UnknownFlag>[] = [
  { id: 'name', title: 'Name', show: ({ name }) => <Name>{name}</Name> },
  {
    id: 'nearest',
    title: 'Nearest feature',
    width: '24%',
    show: ({ nearestName }) => nearestName !== null && <Name>{nearestName}</Name>,
  },
  { id: 'application', title: 'Application', width: '16%', show: ({ appName }) => <Name>{appName}</Name> },
  {
    id: 'environment',
    title: 'Environment',
    width: '14%',
    isWide: true,
    show: ({ environment }) => <Name>{environment}</Name>,
  },
  {
    id: 'count',
    title: '30 days',
    width: '96px',
    isNumber: true,
    show: ({ count }) => <span class="number">{formatCount(count)}</span>,
  },
  {
    id: 'seen',
    title: 'Last seen',
    width: '160px',
    isNumber: true,
    isWide: true,
    show: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
  },
];

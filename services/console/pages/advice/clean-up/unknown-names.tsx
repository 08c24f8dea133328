import type { Resource } from '../../../api/requests/resource.ts';
import type { UnknownFlag, UnknownFlags } from '../../../types.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Empty, Name, Section, Time } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { countColumn } from '../../../ui/lists/count-column.tsx';

/** Names that applications evaluate and that no feature has. */
export function UnknownNames({ unknown }: { readonly unknown: Resource<UnknownFlags> }) {
  return (
    <Section title="Unknown names">
      <Loaded of={unknown} lines={3}>
        {({ unknownFlags, total }) =>
          unknownFlags.length === 0 ? (
            <Empty>Applications evaluate only features that exist.</Empty>
          ) : (
            <>
              <Cut
                shown={new Set(unknownFlags.map(({ name }) => name)).size}
                total={total}
                of="unknown names, those that were evaluated last"
              />
              <Rows
                caption="Unknown names"
                columns={COLUMNS}
                items={unknownFlags}
                keyOf={(item) => JSON.stringify([item.name, item.appName, item.environment])}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Why evaluations of another flag system did not register a name. */
const REASONS = { invalid_name: 'invalid name', no_room: 'no room for it' } as const;

const COLUMNS: readonly Column<UnknownFlag>[] = [
  { id: 'name', title: 'Name', show: ({ name }) => <Name>{name}</Name> },
  {
    id: 'nearest',
    title: 'Nearest feature',
    width: '24%',
    show: ({ nearestName }) => nearestName !== null && <Name>{nearestName}</Name>,
  },
  {
    id: 'reason',
    title: 'Not registered',
    width: '14%',
    isWide: true,
    show: ({ reason }) => reason !== null && REASONS[reason],
  },
  { id: 'application', title: 'Application', width: '16%', show: ({ appName }) => <Name>{appName}</Name> },
  {
    id: 'environment',
    title: 'Environment',
    width: '14%',
    isWide: true,
    show: ({ environment }) => <Name>{environment}</Name>,
  },
  countColumn('30 days', 'in 30 days', '96px'),
  {
    id: 'seen',
    title: 'Last seen',
    width: '160px',
    isNumber: true,
    isWide: true,
    show: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
  },
];

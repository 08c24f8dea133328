import type { ComponentChildren } from 'preact';
import { useAccounting } from '../../api/usage/accounting.ts';
import { accountingSentence, deadLettersSentence, importedSentence } from '../../state/sentences/index.ts';
import type { AccountingDocument } from '../../types.ts';
import { formatCount } from '../../state/format.ts';
import { say } from '#base/words';
import { Equation } from '../../ui/equation.tsx';
import { Heading, WindowControl } from '../../ui/heading.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Empty, Isolated, Name, Section } from '../../ui/parts.tsx';
import { type Column, Rows } from '../../ui/lists/rows.tsx';

type Partition = AccountingDocument['partitions'][number];
type Day = AccountingDocument['days'][number];

/** The accounting of each partition and of each day, and every difference. */
export function Accounting() {
  const accounting = useAccounting();
  return (
    <>
      <Heading page="Accounting" answer={accounting.data && accountingSentence(accounting.data)}>
        <WindowControl />
      </Heading>
      <Loaded of={accounting} lines={6}>
        {({ total, partitions, days, imported, differences, deadLetters }) => (
          <>
            <Equation of={total} />
            {differences.length > 0 && <Differences of={differences} />}
            <Section title="Partitions">
              {partitions.length === 0 ? (
                <Empty>No block was stored in this time.</Empty>
              ) : (
                <Rows
                  caption="Partitions"
                  columns={COLUMNS}
                  items={partitions}
                  keyOf={(item) => `${item.topic}/${item.epoch}/${item.partition}`}
                />
              )}
            </Section>
            {days.length > 0 && (
              <Section title="Days: what the blocks say, and what the tables say">
                <Rows
                  caption="Days"
                  columns={DAY_COLUMNS}
                  items={days}
                  keyOf={(item) => `${item.day} ${item.table}`}
                />
              </Section>
            )}
            {imported.received > 0 && (
              <Section title="Imported history of Unleash">
                <p>{importedSentence(imported)} They are not part of the sum above.</p>
              </Section>
            )}
            {deadLetters.open > 0 && (
              <Section title="Dead letters">
                <p>
                  {deadLettersSentence(deadLetters.open)} <code>flagmeter dead list</code> shows the reasons,{' '}
                  <code>flagmeter dead replay</code> counts what can be decoded now.
                </p>
              </Section>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function Differences({ of }: { readonly of: AccountingDocument['differences'] }) {
  return (
    <Section title="Differences">
      <ul class="items">
        {of.map(({ subject, text }) => (
          <li key={`${subject} ${text}`}>
            <Isolated>{subject}</Isolated>
            <p>
              <Isolated>{text}</Isolated>
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const NUMBERS = ['received', 'counted', 'refused', 'duplicate', 'dead', 'inFlight'] as const;

const COLUMNS: readonly Column<Partition>[] = [
  {
    id: 'partition',
    title: 'Partition',
    width: '10%',
    show: ({ topic, epoch, partition }) => (
      <span title={say`${topic}, epoch ${epoch}`}>
        <span class="phone">Partition </span>
        {partition}
      </span>
    ),
  },
  {
    id: 'topic',
    title: 'Topic, epoch',
    isWide: true,
    show: ({ topic, epoch }) => <Name>{`${topic}, ${epoch}`}</Name>,
  },
  ...NUMBERS.map((name) => ({
    id: name,
    title: name === 'inFlight' ? 'in flight' : name,
    label: name,
    width: '11%',
    isNumber: true,
    isWide: name === 'inFlight',
    show: (item: Partition) => <span class="number">{formatCount(item[name])}</span>,
  })),
  agreement<Partition>(),
];

const DAY_COLUMNS: readonly Column<Day>[] = [
  { id: 'day', title: 'Day (UTC)', width: '10%', show: ({ day }) => <span class="number">{day}</span> },
  { id: 'table', title: 'Table', show: ({ table }) => table },
  {
    id: 'expected',
    title: 'blocks',
    width: '29%',
    isNumber: true,
    label: 'in blocks',
    show: ({ expected }) => sumsOf(expected),
  },
  {
    id: 'stored',
    title: 'table',
    width: '29%',
    isNumber: true,
    label: 'in the table',
    show: ({ stored }) => sumsOf(stored),
  },
  {
    ...agreement<Day>(),
    show: ({ isBalanced, beingStored }) =>
      isBalanced && beingStored.some((sum) => sum !== '0') ? (
        <span title={say`${beingStored.join(' / ')} of this is being stored`}>being stored</span>
      ) : (
        agreementOf(isBalanced)
      ),
  },
];

function agreement<T extends { readonly isBalanced: boolean }>(): Column<T> {
  return {
    id: 'balanced',
    title: 'Agrees',
    width: '100px',
    isWide: true,
    show: ({ isBalanced }) => agreementOf(isBalanced),
  };
}

function agreementOf(isBalanced: boolean): ComponentChildren {
  return isBalanced ? 'yes' : <span class="badge wrong">no</span>;
}

/** Yes, no and metrics, or the sum of the variants, or of the refusals. */
function sumsOf(sums: readonly string[]): ComponentChildren {
  return <span class="number">{sums.map((sum) => formatCount(BigInt(sum))).join(' / ')}</span>;
}

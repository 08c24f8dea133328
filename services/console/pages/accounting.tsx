import { accountingAnswer, useAccounting } from '../api/accounting.ts';
import type { AccountingDocument } from '../api/types.ts';
import { formatCount } from '../state/format.ts';
import { Equation } from '../ui/equation.tsx';
import { Heading, WindowControl } from '../ui/heading.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Empty, Section } from '../ui/parts.tsx';
import { type Column, Rows } from '../ui/rows.tsx';

type Partition = AccountingDocument['partitions'][number];

/** The accounting of each partition, and every difference. */
export function Accounting() {
  const accounting = useAccounting();
  return (
    <>
      <Heading page="Accounting" answer={accounting.data && accountingAnswer(accounting.data)}>
        <WindowControl />
      </Heading>
      <Loaded of={accounting} lines={6}>
        {({ total, partitions, differences, deadLetters }) => (
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
            {deadLetters.open > 0 && (
              <Section title="Dead letters">
                <p>
                  {formatCount(deadLetters.open)} wait for an operator. <code>flagmeter dead list</code> shows
                  them, <code>flagmeter dead replay</code> counts them.
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
        {of.map(({ place, text }) => (
          <li key={`${place} ${text}`}>
            {place}
            <p>{text}</p>
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
    show: ({ topic, epoch, partition }) => `${topic}, epoch ${epoch}, ${partition}`,
  },
  ...NUMBERS.map((name) => ({
    id: name,
    title: name === 'inFlight' ? 'in flight' : name,
    width: '12%',
    isNumber: true,
    isWide: name === 'inFlight',
    show: (item: Partition) => <span class="number">{formatCount(item[name])}</span>,
  })),
  {
    id: 'balanced',
    title: 'Agrees',
    width: '80px',
    isWide: true,
    show: ({ isBalanced }) => (isBalanced ? 'yes' : <span class="badge wrong">no</span>),
  },
];

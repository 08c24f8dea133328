import { useAccounting } from '../../../api/usage/accounting.ts';
import { isolate } from '#base/words';
import { hasWords, searchable, wordsOf } from '../../../state/search.ts';
import { useRefusals, useRejectedBodies } from './read-refusals.ts';
import { RejectedBodies } from './rejected-bodies.tsx';
import { useApiTokens } from '../../../api/tokens.ts';
import type { Refusal, Refusals } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import {
  deadLettersSentence,
  deadLettersTitle,
  in30DaysTitle,
  refusedSentence,
} from '../../../state/sentences/index.ts';
import { reasonOf } from './refusal-reasons.ts';
import { Choice, Search } from '../../../ui/lists/filters.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Empty, Name, Section } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { countColumn } from '../../../ui/lists/count-column.tsx';

/** What was received and not counted, why, and what can be done about it. */
export function Refused() {
  const { query } = useConsole().router.route.value;
  const refusals = useRefusals();
  const rejected = useRejectedBodies();
  const tokens = useApiTokens().data?.tokens ?? [];
  const nameOf = (tokenId: string): string => tokens.find(({ id }) => id === tokenId)?.tokenName ?? tokenId;
  const all = refusals.data?.refusals ?? [];
  const reasons = [...new Set(all.map(({ reason }) => reason))];
  const today = new Date().toISOString().slice(0, 10);
  return (
    <>
      <Heading
        page="Refused"
        answer={
          refusals.data &&
          rejected.data &&
          refusedSentence({ refusals: all, ...rejected.data, today, isCut: isCutToday(refusals.data, today) })
        }
      >
        <Search label="Search refusals by name or sample" />
        <Choice
          parameter="reason"
          label="Reason"
          choices={reasons.map((reason) => [reason, reasonOf(reason).title])}
        />
        <FilterState parameters={['q', 'reason']} />
      </Heading>
      <Loaded of={refusals} lines={8}>
        {() => {
          if (all.length === 0) return <Empty>Every accepted metric of the last 30 days was counted.</Empty>;
          const words = wordsOf(query['q'] ?? '');
          const found = all.filter(
            (refusal) =>
              (query['reason'] ?? refusal.reason) === refusal.reason &&
              hasWords(searchable([namesOf(refusal), refusal.sample, nameOf(refusal.tokenId)]), words),
          );
          if (found.length === 0) return <Empty>No refusal matches.</Empty>;
          return reasons.map((reason) => (
            <Reason
              key={reason}
              reason={reason}
              total={refusals.data?.totals.find((one) => one.reason === reason)}
              listed={all.filter((refusal) => refusal.reason === reason).length}
              refusals={found.filter((refusal) => refusal.reason === reason)}
              isSearched={words.length > 0}
              columns={columnsOf(nameOf)}
            />
          ));
        }}
      </Loaded>
      <Loaded of={rejected}>{(data) => <RejectedBodies of={data} nameOf={nameOf} />}</Loaded>
      <DeadLetters />
    </>
  );
}

type ReasonProps = {
  readonly reason: string;
  /** Of all refusals with the reason; the page has only the newest ones. */
  readonly total: Refusals['totals'][number] | undefined;
  /** How many of them the page has. */
  readonly listed: number;
  readonly refusals: readonly Refusal[];
  /** Whether they are those that match a search. Nobody has searched those that the page has not. */
  readonly isSearched: boolean;
  readonly columns: readonly Column<Refusal>[];
};

function Reason({ reason, total, listed, refusals, isSearched, columns }: ReasonProps) {
  if (refusals.length === 0) return null;
  const { title, advice } = reasonOf(reason);
  const items = total?.items ?? listed;
  const found = refusals.reduce((all, { count }) => all + count, 0);
  return (
    <Section
      title={
        isSearched
          ? in30DaysTitle(title, found, { isCut: items > listed })
          : in30DaysTitle(title, total?.count ?? found)
      }
    >
      <p class="description">
        {advice} <span class="muted">Refused metrics are not stored, so they cannot be replayed.</span>
      </p>
      <Cut shown={listed} total={items} of="lines, the newest ones" />
      <Rows caption={title} columns={columns} items={refusals} keyOf={(refusal) => JSON.stringify(refusal)} />
    </Section>
  );
}

/** Whether there may be more refusals of today than the page has. */
function isCutToday({ totals, refusals }: Refusals, today: string): boolean {
  return totals.some(({ reason, items }) => {
    const listed = refusals.filter((refusal) => refusal.reason === reason);
    return items > listed.length && listed.every(({ day }) => day === today);
  });
}

function DeadLetters() {
  const open = useAccounting().data?.deadLetters.open ?? 0;
  if (open === 0) return null;
  return (
    <Section title={deadLettersTitle(open)}>
      <p>
        {deadLettersSentence(open)} <code>flagmeter dead list</code> shows the reasons.{' '}
        <code>flagmeter dead replay --all --yes</code> counts all that can be decoded now.
      </p>
    </Section>
  );
}

function columnsOf(nameOf: (tokenId: string) => string): readonly Column<Refusal>[] {
  return [
    { id: 'names', title: 'Names', show: (refusal) => <Name>{namesOf(refusal)}</Name> },
    {
      id: 'sample',
      title: 'Sample',
      width: '30%',
      show: ({ sample }) => <Name>{sample}</Name>,
    },
    {
      id: 'token',
      title: 'Token',
      width: '16%',
      isWide: true,
      show: ({ tokenId }) => <Name>{nameOf(tokenId)}</Name>,
    },
    countColumn('Count', 'metrics'),
    {
      id: 'day',
      title: 'Day (UTC)',
      width: '112px',
      isNumber: true,
      show: ({ day }) => <span class="number">{day}</span>,
    },
  ];
}

/** The names as they were sent; some are empty when a refusal has lost them. */
function namesOf({ kind, featureName, appName, environment }: Refusal): string {
  const names = [featureName, appName, environment].filter((name) => name !== '');
  return names.length === 0 ? `unnamed ${kind}` : names.map(isolate).join(' · ');
}

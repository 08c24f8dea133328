import { useApiTokens } from '../../../api/tokens.ts';
import type { ApiTokenRecord } from '../../../types.ts';
import { sendersOf } from '../../../state/senders.ts';
import { silentForWords, usedWords } from '../../../state/sentences/index.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { useNow } from '../../../ui/now.ts';
import { Empty, Name, Section, Time } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';

/** The tokens with which relays and SDKs send; needs the permission ADMIN. A relay is known only by its token. */
export function Senders() {
  const tokens = useApiTokens();
  const now = useNow();
  return (
    <Section title="Relays and SDKs, by token">
      <Loaded of={tokens} lines={4}>
        {(data) => {
          const { reporting, silent, unused } = sendersOf(data.tokens, now);
          const items = [...silent, ...reporting, ...unused];
          if (items.length === 0) return <Empty>There is no token for a relay or an SDK.</Empty>;
          return (
            <Rows
              caption="Relays and SDKs, by token"
              columns={columnsOf(new Set(silent), now)}
              items={items}
              keyOf={({ id }) => id}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}

function columnsOf(silent: ReadonlySet<ApiTokenRecord>, now: number): readonly Column<ApiTokenRecord>[] {
  return [
    { id: 'token', title: 'Token', show: ({ tokenName }) => <Name>{tokenName}</Name> },
    { id: 'type', title: 'Type', width: '20%', isWide: true, show: ({ type }) => type },
    {
      id: 'environment',
      title: 'Environment',
      width: '20%',
      show: ({ environment }) => (environment === '*' ? 'all' : <Name>{environment}</Name>),
    },
    {
      id: 'state',
      title: 'State',
      width: '18%',
      show: (token) => <State of={token} isSilent={silent.has(token)} now={now} />,
    },
    {
      id: 'used',
      title: 'Last used',
      width: '160px',
      isNumber: true,
      show: ({ seenAt }) => (seenAt === null ? '–' : <Time at={seenAt} />),
    },
  ];
}

type StateProps = { readonly of: ApiTokenRecord; readonly isSilent: boolean; readonly now: number };

function State({ of: { seenAt }, isSilent, now }: StateProps) {
  if (seenAt === null) return <span class="muted">never used</span>;
  const ageMs = Math.max(0, now - Date.parse(seenAt));
  return isSilent ? <span class="attention">{silentForWords(ageMs)}</span> : <>{usedWords(ageMs)}</>;
}

import { useCaller, useMay } from '../../api/caller.ts';
import { useApiTokens } from '../../api/tokens.ts';
import type { ApiTokenRecord } from '../../types.ts';
import { formatCount, formatPlural } from '../../state/format.ts';
import { DialogButton } from '../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../ui/dialogs/dialog.tsx';
import { Heading } from '../../ui/heading.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Empty, Name, Section, Time } from '../../ui/parts.tsx';
import { type Column, Rows } from '../../ui/lists/rows.tsx';
import { NewApiToken } from './new-api-token.tsx';
import { ForeignToken } from './foreign-token.tsx';
import { PersonalTokens } from './personal-tokens.tsx';
import { RotateToken } from './rotate-token.tsx';

/** Who may send and read: the API tokens, and the caller's own tokens. */
export function Tokens() {
  const may = useMay();
  const caller = useCaller().data;
  const tokens = useApiTokens();
  const isUser = (caller?.user.id ?? 0) > 0;
  return (
    <>
      <Heading
        page={may('ADMIN') ? 'Tokens' : 'Your tokens'}
        answer={tokens.data && answerOf(tokens.data.tokens)}
      >
        <NewApiToken />
      </Heading>
      {may('ADMIN') && (
        <Loaded of={tokens} lines={6}>
          {(data) =>
            data.tokens.length === 0 ? (
              <Empty>There is no API token. Create one for each relay.</Empty>
            ) : (
              <Rows caption="API tokens" columns={COLUMNS} items={data.tokens} keyOf={({ id }) => id} />
            )
          }
        </Loaded>
      )}
      {isUser && (
        <Section title="Your personal tokens">
          <ForeignToken isForeign={caller?.authentication.isForeign === true} />
          <PersonalTokens path="api/admin/user/tokens" />
        </Section>
      )}
    </>
  );
}

function answerOf(tokens: readonly ApiTokenRecord[]): string {
  const now = Date.now();
  const expired = tokens.filter(({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) <= now).length;
  return `${formatPlural(tokens.length, 'API token')}${expired === 0 ? '' : `, ${formatCount(expired)} expired`}`;
}

const COLUMNS: readonly Column<ApiTokenRecord>[] = [
  {
    id: 'name',
    title: 'Name',
    show: ({ tokenName, successorOf }) => (
      <>
        <Name>{tokenName}</Name>
        {successorOf !== null && <span class="muted"> replaces {successorOf.slice(0, 8)}</span>}
      </>
    ),
  },
  { id: 'type', title: 'Type', width: '80px', show: ({ type }) => type },
  {
    id: 'environment',
    title: 'Environment',
    width: '14%',
    show: ({ environment }) => (environment === '*' ? 'all' : <Name>{environment}</Name>),
  },
  {
    id: 'projects',
    title: 'Projects',
    width: '14%',
    isWide: true,
    show: ({ projects }) => (projects.includes('*') ? 'all' : <Name>{projects.join(', ')}</Name>),
  },
  {
    id: 'expires',
    title: 'Expires',
    width: '144px',
    isWide: true,
    show: ({ expiresAt }) => (expiresAt === null ? 'never' : <Time at={expiresAt} />),
  },
  {
    id: 'seen',
    title: 'Last used',
    width: '144px',
    show: ({ seenAt }) => (seenAt === null ? 'never used' : <Time at={seenAt} />),
  },
  {
    id: 'change',
    title: 'Change',
    width: '200px',
    isNumber: true,
    show: (token) => (
      <>
        <RotateToken token={token} /> <Revoke token={token} />
      </>
    ),
  },
];

function Revoke({ token: { id, tokenName, seenAt } }: { readonly token: ApiTokenRecord }) {
  return (
    <DialogButton label="Revoke" hint={`Revoke ${tokenName}`}>
      {(close) => (
        <ChangeDialog
          title="Revoke this token"
          action="Revoke"
          change={() => ({ method: 'DELETE', path: `api/admin/api-tokens/${encodeURIComponent(id)}` })}
          done={`${tokenName} is revoked.`}
          mustType={tokenName}
          onClose={close}
        >
          <p>
            {seenAt === null ? (
              'It was never used.'
            ) : (
              <>
                It was last used at <Time at={seenAt} />. Requests with it are refused at once.
              </>
            )}
          </p>
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

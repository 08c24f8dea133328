import { useConsole } from '../../../console.ts';
import { type May, useCaller, useMay } from '../../../api/caller.ts';
import { useApiTokens } from '../../../api/tokens.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { ApiTokenRecord } from '../../../types.ts';
import { EVERY } from '../../../state/may.ts';
import { list, say } from '#base/words';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { hasWords, searchable, wordsOf } from '../../../state/search.ts';
import { Choice, Search } from '../../../ui/lists/filters.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Section, Time } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { NewApiToken } from './new-api-token.tsx';
import { ForeignToken } from './foreign-token.tsx';
import { PersonalTokens } from './personal-tokens.tsx';
import { RotateToken } from './rotate-token.tsx';
import { useSecretDialog } from './secret-dialog.tsx';
import { tokensSentence } from '../../../state/sentences/index.ts';

/** Who may send and read: the API tokens, and the caller's own tokens. */
export function Tokens() {
  const may = useMay();
  const mayManage = may('MANAGE_TOKENS', 'anywhere');
  const caller = useCaller().data;
  const tokens = useApiTokens();
  const secretDialog = useSecretDialog();
  const { query } = useConsole().router.route.value;
  const isUser = (caller?.user.id ?? 0) > 0;
  return (
    <>
      <Heading
        page={mayManage ? 'Tokens' : 'Your tokens'}
        answer={tokens.data && answerOf(tokens.data.tokens)}
      >
        {mayManage && <Search label="Search API tokens" />}
        {mayManage && <Choice parameter="unused" label="Unused" choices={UNUSED} />}
        <FilterState parameters={['q', 'unused']} />
        <NewApiToken />
      </Heading>
      {mayManage && (
        <Loaded of={tokens} lines={6}>
          {(data) => {
            if (data.tokens.length === 0)
              return <Empty>There is no API token. Create one for each relay.</Empty>;
            const days = Number(query['unused'] ?? 0);
            const unused = data.tokens.filter((token) => isUnusedFor(days, token, Date.now()));
            if (unused.length === 0) return <Empty>Every token was used or created since.</Empty>;
            const words = wordsOf(query['q'] ?? '');
            const found = unused.filter((token) => hasWords(textOf(token), words));
            if (found.length === 0) return <Empty>No token matches.</Empty>;
            const replaced = new Set(data.tokens.map(({ successorOf }) => successorOf));
            return (
              <Rows
                caption="API tokens"
                columns={columnsOf(replaced, may, secretDialog.show)}
                items={found}
                keyOf={({ id }) => id}
              />
            );
          }}
        </Loaded>
      )}
      {isUser && (
        <Section title="Your personal tokens">
          <ForeignToken isForeign={caller?.authentication.isForeign === true} />
          <PersonalTokens path={pathTo`api/admin/user/tokens`} />
        </Section>
      )}
      {secretDialog.dialog}
    </>
  );
}

const DAY_MS = 86_400_000;

const UNUSED = [30, 90, 365].map((days) => [String(days), `for ${days} days`] as const);

/** Whether a token was neither created nor used in the last days. */
function isUnusedFor(days: number, { createdAt, seenAt }: ApiTokenRecord, now: number): boolean {
  return days === 0 || Date.parse(seenAt ?? createdAt) < now - days * DAY_MS;
}

function textOf({ tokenName, environment, projects }: ApiTokenRecord): string {
  return searchable([tokenName, environment, ...projects]);
}

function answerOf(tokens: readonly ApiTokenRecord[]): string {
  const now = Date.now();
  const expired = tokens.filter(({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) <= now).length;
  return tokensSentence(tokens.length, expired);
}

/** Everywhere that it counts. Tokens of all projects, and those that do more than count, are for the whole installation. */
function mayRevoke({ projects, environment }: ApiTokenRecord, may: May): boolean {
  return projects.every((project) =>
    may(
      'MANAGE_TOKENS',
      project === '*' ? 'installation' : { project, environment: environment === '*' ? EVERY : environment },
    ),
  );
}

/** A token that has a successor is not rotated again. */
const columnsOf = (
  replaced: ReadonlySet<string | null>,
  may: May,
  onRotated: (secret: string) => void,
): readonly Column<ApiTokenRecord>[] => [
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
    show: ({ projects }) => (projects.includes('*') ? 'all' : <Name>{list(projects)}</Name>),
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
    show: ({ seenAt, seenIpv6At }) => (
      <>
        {seenAt === null ? 'never used' : <Time at={seenAt} />}
        {seenIpv6At !== null && <span class="muted"> IPv6</span>}
      </>
    ),
  },
  {
    id: 'change',
    title: 'Change',
    width: '200px',
    isNumber: true,
    show: (token) => (
      <>
        {may('ADMIN') && !replaced.has(token.id) && <RotateToken token={token} onRotated={onRotated} />}{' '}
        {mayRevoke(token, may) && <Revoke token={token} />}
      </>
    ),
  },
];

function Revoke({ token: { id, tokenName, seenAt } }: { readonly token: ApiTokenRecord }) {
  return (
    <DialogButton label="Revoke" hint={say`Revoke ${tokenName}`}>
      {(close) => (
        <ChangeDialog
          title="Revoke this token"
          action="Revoke"
          change={() => ({ method: 'DELETE', path: pathTo`api/admin/api-tokens/${id}` })}
          done={say`${tokenName} is revoked.`}
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

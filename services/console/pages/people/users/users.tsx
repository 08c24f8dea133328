import { useCaller } from '../../../api/caller.ts';
import { useChange } from '../../../api/requests/change.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Change, User } from '../../../types.ts';
import { say } from '#base/words';
import { hasWords, searchable, wordsOf } from '../../../state/search.ts';
import { useUsers } from './read-users.ts';
import { useConsole } from '../../../console.ts';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Dialog, Field } from '../../../ui/dialogs/dialog.tsx';
import { ROOT_ROLES } from '../../../ui/dialogs/limits.ts';
import { Search } from '../../../ui/lists/filters.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Time } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { PersonalTokens } from '../tokens/personal-tokens.tsx';
import { usersSentence } from '../../../state/sentences/index.ts';

const PATH = pathTo`api/admin/user-admin`;

/** Who has which role. */
export function Users() {
  const { query } = useConsole().router.route.value;
  const users = useUsers();
  const ownId = useCaller().data?.user.id;
  const all = users.data?.users ?? [];
  const admins = all.filter(({ rootRole }) => rootRole === 'Admin').length;
  return (
    <>
      <Heading page="Users" answer={users.data && usersSentence(all.length, admins)}>
        <Search label="Search users by name" />
        <FilterState parameters={['q']} />
        {users.problem === undefined && <NewUser />}
      </Heading>
      <Loaded of={users} lines={8}>
        {() => {
          const words = wordsOf(query['q'] ?? '');
          const found = all.filter((user) => hasWords(searchable(namesOf(user)), words));
          if (found.length === 0)
            return <Empty>{all.length === 0 ? 'There is no user yet.' : 'No user matches.'}</Empty>;
          return (
            <Rows caption="Users" columns={columnsOf(ownId)} items={found} keyOf={({ id }) => String(id)} />
          );
        }}
      </Loaded>
    </>
  );
}

function NewUser() {
  return (
    <DialogButton label="New user">
      {(close) => (
        <ChangeDialog
          title="New user"
          action="Create"
          change={newUserChange}
          done="The user is created. Create a personal token for them."
          onClose={close}
        >
          <Field label="User name">
            <input {...controlOf('user', 'username')} required autocomplete="off" />
          </Field>
          <Field label="E-mail, if any">
            <input {...controlOf('user', 'email')} type="email" autocomplete="off" />
          </Field>
          <Field label="Role">
            <select name="rootRole">
              {ROOT_ROLES.map((role) => (
                <option key={role} selected={role === 'Viewer'}>
                  {role}
                </option>
              ))}
            </select>
          </Field>
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

function newUserChange(fields: FormData): Change {
  const given = [...fields].filter(([, value]) => value !== '');
  return { method: 'POST', path: PATH, body: Object.fromEntries(given) };
}

function columnsOf(ownId: number | undefined): readonly Column<User>[] {
  return [
    { id: 'name', title: 'Name', show: (user) => <Name>{nameOf(user)}</Name> },
    {
      id: 'email',
      title: 'E-mail',
      width: '24%',
      isWide: true,
      show: ({ email }) => <Name>{email ?? ''}</Name>,
    },
    {
      id: 'created',
      title: 'Created',
      width: '144px',
      isWide: true,
      show: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'role',
      title: 'Role',
      width: '112px',
      show: (user) => (user.id === ownId ? `${user.rootRole} (you)` : <Role user={user} />),
    },
    {
      id: 'change',
      title: 'Change',
      width: '176px',
      isNumber: true,
      show: (user) => (
        <>
          <TokensOf user={user} /> {user.id !== ownId && <Remove user={user} />}
        </>
      ),
    },
  ];
}

function Role({ user }: { readonly user: User }) {
  const { notice } = useConsole();
  const { make, isBusy } = useChange();
  const name = nameOf(user);
  const changeTo = (rootRole: string): Change => ({
    method: 'PUT',
    path: pathTo`${PATH}/${user.id}`,
    body: { rootRole },
  });
  return (
    <select
      aria-label={say`Role of ${name}`}
      value={user.rootRole}
      disabled={isBusy}
      onChange={async (event) => {
        const role = event.currentTarget.value;
        const { problem } = await make(changeTo(role), {
          done: say`${name} is ${role}.`,
          undo: changeTo(user.rootRole),
        });
        if (problem !== undefined)
          notice.value = { tone: 'wrong', text: say`${problem.message} ${problem.advice}` };
      }}
    >
      {ROOT_ROLES.map((role) => (
        <option key={role}>{role}</option>
      ))}
    </select>
  );
}

function TokensOf({ user }: { readonly user: User }) {
  return (
    <DialogButton label="Tokens" hint={say`Tokens of ${nameOf(user)}`}>
      {(close) => (
        <Dialog title={say`Personal tokens of ${nameOf(user)}`} isForm={false} onClose={close}>
          <PersonalTokens path={pathTo`${PATH}/${user.id}/tokens`} />
          <p class="actions">
            <button type="button" onClick={close}>
              Close
            </button>
          </p>
        </Dialog>
      )}
    </DialogButton>
  );
}

function Remove({ user }: { readonly user: User }) {
  const name = nameOf(user);
  return (
    <DialogButton label="Remove" hint={say`Remove ${name}`}>
      {(close) => (
        <ChangeDialog
          title="Remove this user"
          action="Remove"
          change={() => ({ method: 'DELETE', path: pathTo`${PATH}/${user.id}` })}
          done={say`${name} is removed.`}
          mustType={name}
          onClose={close}
        >
          <p>The tokens of the user stop working at once. Events keep the name.</p>
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

function namesOf({ name, username, email }: User): string[] {
  return [name, username, email].filter((value) => value !== null && value !== '').map(String);
}

function nameOf(user: User): string {
  return namesOf(user)[0] ?? `user ${user.id}`;
}

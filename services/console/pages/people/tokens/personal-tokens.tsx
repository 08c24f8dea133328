import { usePersonalTokens } from '../../../api/tokens.ts';
import { type Path, pathTo } from '../../../state/paths/path.ts';
import type { PersonalTokenRecord } from '../../../types.ts';
import { say } from '#base/words';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Time } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { useSecretDialog } from './secret-dialog.tsx';

type Props = {
  /** The path of the list: of the caller or of a user. */
  readonly path: Path;
};

/** Lists, creates and deletes personal tokens. */
export function PersonalTokens({ path }: Props) {
  const tokens = usePersonalTokens(path);
  const secretDialog = useSecretDialog();
  return (
    <>
      <Loaded of={tokens} lines={2}>
        {({ pats }) =>
          pats.length === 0 ? (
            <Empty>There is no personal token.</Empty>
          ) : (
            <Rows caption="Personal tokens" columns={columnsOf(path)} items={pats} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      <p class="actions">
        <DialogButton label="New personal token">
          {(close) => (
            <ChangeDialog<{ secret: string }>
              title="New personal token"
              action="Create"
              change={(fields) => ({ method: 'POST', path, body: newTokenOf(fields) })}
              done="The token is created."
              onClose={close}
              onDone={(created) => {
                secretDialog.show(created.secret);
              }}
            >
              <NewTokenFields />
            </ChangeDialog>
          )}
        </DialogButton>
      </p>
      {secretDialog.dialog}
    </>
  );
}

/** Read by `newTokenOf`. */
export function NewTokenFields() {
  return (
    <>
      <Field label="What it is for">
        <input {...controlOf('personalToken', 'description')} />
      </Field>
      <Field label="Last day (UTC)">
        <input name="expires" type="date" required />
      </Field>
    </>
  );
}

export function newTokenOf(fields: FormData): object {
  return { description: fields.get('description'), expiresAt: endOfDay(fields.get('expires')) };
}

/** The end of a day of a form, in UTC; null without a day. */
export function endOfDay(day: FormDataEntryValue | null): string | null {
  return typeof day === 'string' && day !== '' ? `${day}T23:59:59.999Z` : null;
}

function columnsOf(path: Path): readonly Column<PersonalTokenRecord>[] {
  return [
    { id: 'for', title: 'Personal token', show: ({ description }) => <Name>{description}</Name> },
    {
      id: 'created',
      title: 'Created',
      width: '160px',
      isWide: true,
      show: ({ createdAt }) => <Time at={createdAt} />,
    },
    { id: 'expires', title: 'Expires', width: '160px', show: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      id: 'seen',
      title: 'Last used',
      width: '144px',
      isWide: true,
      show: ({ seenAt }) => (seenAt === null ? 'never used' : <Time at={seenAt} />),
    },
    {
      id: 'delete',
      title: 'Change',
      width: '112px',
      isNumber: true,
      show: ({ id, description }) => (
        <DialogButton label="Delete" hint={say`Delete ${description}`}>
          {(close) => (
            <ChangeDialog
              title="Delete this token"
              action="Delete"
              change={() => ({ method: 'DELETE', path: pathTo`${path}/${id}` })}
              done={say`${description} is deleted.`}
              mustType={description}
              onClose={close}
            >
              <p>Its user is signed out at once.</p>
            </ChangeDialog>
          )}
        </DialogButton>
      ),
    },
  ];
}

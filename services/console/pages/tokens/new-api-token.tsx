import { useMay } from '../../api/caller.ts';
import { DialogButton } from '../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog, Field } from '../../ui/dialogs/dialog.tsx';
import { textOf } from '../../ui/dialogs/fields.ts';
import { useSecretDialog } from './secret-dialog.tsx';
import { endOfDay } from './personal-tokens.tsx';

/** Creates an API token, then shows its secret once. */
export function NewApiToken() {
  const may = useMay();
  const secretDialog = useSecretDialog();
  if (!may('ADMIN')) return null;
  return (
    <>
      <DialogButton label="New API token">
        {(close) => (
          <ChangeDialog<{ secret: string }>
            title="New API token"
            action="Create"
            change={(fields) => ({ method: 'POST', path: 'api/admin/api-tokens', body: newTokenOf(fields) })}
            done="The token is created."
            onClose={close}
            onDone={(created) => {
              secretDialog.show(created.secret);
            }}
          >
            <Fields />
          </ChangeDialog>
        )}
      </DialogButton>
      {secretDialog.dialog}
    </>
  );
}

function Fields() {
  return (
    <>
      <Field label="Name">
        <input name="tokenName" required maxLength={255} />
      </Field>
      <Field label="Type">
        <select name="type">
          <option value="client">client: a relay or a server</option>
          <option value="frontend">frontend: a browser or a phone</option>
          <option value="admin">admin: may do everything</option>
          <option value="scan">scan: only reads names of features and pushes code references</option>
        </select>
      </Field>
      <Field label="Environment; * is all. Admin and scan tokens have all.">
        <input name="environment" required value="production" maxLength={100} />
      </Field>
      <Field label="Projects, comma separated; * is all">
        <input name="projects" required value="*" />
      </Field>
      <Field label="Reasons of OpenTelemetry that count as no, comma separated; if empty: default, disabled, error">
        <input name="notEnabledReasons" />
      </Field>
      <Field label="Last day (UTC); never expires if empty">
        <input name="expires" type="date" />
      </Field>
    </>
  );
}

function newTokenOf(fields: FormData): object {
  const type = fields.get('type');
  const notEnabledReasons = namesOf(textOf(fields, 'notEnabledReasons'));
  return {
    tokenName: fields.get('tokenName'),
    type,
    ...(type === 'admin' || type === 'scan' ? {} : { environment: fields.get('environment') }),
    projects: namesOf(textOf(fields, 'projects')),
    notEnabledReasons: notEnabledReasons.length === 0 ? null : notEnabledReasons,
    expiresAt: endOfDay(fields.get('expires')),
  };
}

function namesOf(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

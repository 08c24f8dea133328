import { useMay } from '../../../api/caller.ts';
import { useProjectsWith } from '../../../api/flags/projects.ts';
import { pathTo } from '../../../state/paths/path.ts';
import { say } from '#base/words';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { textOf } from '../../../ui/dialogs/fields.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { useSecretDialog } from './secret-dialog.tsx';
import { endOfDay } from './personal-tokens.tsx';

/** Creates an API token, then shows its secret once. */
export function NewApiToken() {
  const may = useMay();
  const secretDialog = useSecretDialog();
  if (!may('MANAGE_TOKENS', 'anywhere')) return null;
  return (
    <>
      <DialogButton label="New API token">
        {(close) => (
          <ChangeDialog<{ secret: string }>
            title="New API token"
            action="Create"
            change={(fields) => ({
              method: 'POST',
              path: pathTo`api/admin/api-tokens`,
              body: newTokenOf(fields),
            })}
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

/** Who manages the tokens of single projects creates those that only count, for these projects. */
function Fields() {
  const isForAll = useMay()('MANAGE_TOKENS');
  return (
    <>
      <Field label="Name">
        <input {...controlOf('apiToken', 'tokenName')} />
      </Field>
      <Field label="Type">
        <select name="type">
          <option value="client">client: a relay or a server</option>
          <option value="frontend">frontend: a browser or a phone</option>
          {isForAll && (
            <>
              <option value="admin">admin: may do everything</option>
              <option value="scan">scan: only reads names of features and pushes code references</option>
            </>
          )}
        </select>
      </Field>
      <Field label={say`Environment; * is all.${isForAll ? ' Admin and scan tokens have all.' : ''}`}>
        <input {...controlOf('apiToken', 'environment')} required defaultValue="production" />
      </Field>
      {isForAll ? (
        <Field label="Projects, comma separated; * is all">
          <input name="projects" required defaultValue="*" />
        </Field>
      ) : (
        <OwnProjects />
      )}
      <Field label="Reasons of OpenTelemetry that count as no, comma separated; if empty: default, disabled, error">
        <input name="notEnabledReasons" />
      </Field>
      <label>
        <input name="trusted" type="checkbox" /> Trusted: guards may turn features off because of what this
        client token sends. Not for relays
      </label>
      <Field label="Last day (UTC); never expires if empty">
        <input name="expires" type="date" />
      </Field>
    </>
  );
}

function OwnProjects() {
  const projects = useProjectsWith('MANAGE_TOKENS');
  return (
    <Loaded of={projects} lines={1}>
      {({ projects: own }) => (
        <Field label="Projects">
          <select name="projects" multiple required>
            {own.map(({ id, name }) => (
              <option key={id} value={id} selected={own.length === 1}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
    </Loaded>
  );
}

function newTokenOf(fields: FormData): object {
  const type = fields.get('type');
  const notEnabledReasons = namesOf(textOf(fields, 'notEnabledReasons'));
  return {
    tokenName: fields.get('tokenName'),
    type,
    ...(type === 'admin' || type === 'scan' ? {} : { environment: fields.get('environment') }),
    projects: fields.getAll('projects').flatMap((given) => (typeof given === 'string' ? namesOf(given) : [])),
    notEnabledReasons: notEnabledReasons.length === 0 ? null : notEnabledReasons,
    ...(type === 'client' ? { trusted: fields.get('trusted') === 'on' } : {}),
    expiresAt: endOfDay(fields.get('expires')),
  };
}

function namesOf(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

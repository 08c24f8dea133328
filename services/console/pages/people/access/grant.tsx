import { useMay } from '../../../api/caller.ts';
import { EVERY } from '../../../state/may.ts';
import { say } from '#base/words';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { textOf } from '../../../ui/dialogs/fields.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { useEnvironments } from '../../../api/flags/environments.ts';
import { grantChange, useRoles } from './read-access.ts';

type Props = { readonly project: string };

/** Gives a user a role, or changes the environments of one that they have. */
export function Grant({ project }: Props) {
  return (
    <DialogButton label="Grant a role">
      {(close) => (
        <ChangeDialog
          title="Grant a role"
          action="Grant"
          change={(fields) =>
            grantChange(project, {
              user: textOf(fields, 'user').trim(),
              role: textOf(fields, 'role'),
              environments: fields.getAll('environments').map(String),
            })
          }
          done="The role is granted."
          onClose={close}
        >
          <Field label="E-mail address or user name">
            <input {...controlOf('assignment', 'user')} autocomplete="off" />
          </Field>
          <RoleField project={project} />
          <EnvironmentsField />
          <p>If the user has this role already, these environments replace the earlier ones.</p>
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

/** Nobody gives permissions that they lack. */
function RoleField({ project }: Props) {
  const may = useMay();
  const place = { project, environment: EVERY } as const;
  return (
    <Loaded of={useRoles()} lines={1}>
      {({ roles }) => (
        <Field label="Role">
          <select name="role" required>
            {roles
              .filter(({ permissions }) => permissions.every((permission) => may(permission, place)))
              .map(({ name, description }) => (
                <option key={name} value={name}>
                  {description === null ? name : say`${name}: ${description}`}
                </option>
              ))}
          </select>
        </Field>
      )}
    </Loaded>
  );
}

function EnvironmentsField() {
  return (
    <Loaded of={useEnvironments()} lines={1}>
      {({ environments }) => (
        <Field label="Environments that the user may change; every one if none is chosen">
          <select name="environments" multiple>
            {environments.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
    </Loaded>
  );
}

import type { Assignment } from '../../../types.ts';
import { say } from '#base/words';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Name } from '../../../ui/parts.tsx';
import { grantChange, revokeChange } from './read-access.ts';

type Props = { readonly project: string; readonly of: Assignment; readonly isOwn: boolean };

/** Takes a role from a user. Whoever takes their own may be unable to give it back. */
export function Revoke({ project, of, isOwn }: Props) {
  const { userName, role, environments } = of;
  return (
    <DialogButton label="Revoke" hint={say`Revoke ${role} of ${userName}`}>
      {(close) => (
        <ChangeDialog
          title="Revoke this role"
          action="Revoke"
          change={() => revokeChange(project, of)}
          done={say`${userName} is no longer ${role}.`}
          undo={isOwn ? undefined : grantChange(project, { user: userName, role, environments })}
          {...(isOwn ? { mustType: userName } : {})}
          onClose={close}
        >
          <p>
            <Name>{userName}</Name> may no longer do at once what only the role <Name>{role}</Name> permits.
          </p>
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

import { DialogButton } from '../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog, Field } from '../../ui/dialogs/dialog.tsx';
import type { ApiTokenRecord } from '../../types.ts';
import { useSecretDialog } from './secret-dialog.tsx';

const DAY_HOURS = 24;

/** Replaces a token by one with the same rights, then shows the new secret once. */
export function RotateToken({ token: { id, tokenName } }: { readonly token: ApiTokenRecord }) {
  const secretDialog = useSecretDialog();
  return (
    <>
      <DialogButton label="Rotate" hint={`Rotate ${tokenName}`}>
        {(close) => (
          <ChangeDialog<{ secret: string }>
            title="Rotate this token"
            action="Rotate"
            change={(fields) => ({
              method: 'POST',
              path: `api/admin/api-tokens/${encodeURIComponent(id)}/rotate`,
              body: { overlapHours: Number(fields.get('days')) * DAY_HOURS },
            })}
            done={`${tokenName} has a successor.`}
            onClose={close}
            onDone={(created) => {
              secretDialog.show(created.secret);
            }}
          >
            <p>
              A new token gets the same rights. The old one stays valid until everybody has changed to it.
            </p>
            <Field label="Days until the old token ends">
              <input name="days" type="number" min={1} max={365} required value="7" />
            </Field>
          </ChangeDialog>
        )}
      </DialogButton>
      {secretDialog.dialog}
    </>
  );
}

import { pathTo } from '../../../state/paths/path.ts';
import { say } from '#base/words';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import type { ApiTokenRecord } from '../../../types.ts';

const DAY_HOURS = 24;

type Props = {
  readonly token: ApiTokenRecord;
  /** Gets the secret of the new token. The row of the old one loses its button, and so this component, when the list is read again. */
  readonly onRotated: (secret: string) => void;
};

/** Replaces a token by one with the same rights. */
export function RotateToken({ token: { id, tokenName }, onRotated }: Props) {
  return (
    <DialogButton label="Rotate" hint={say`Rotate ${tokenName}`}>
      {(close) => (
        <ChangeDialog<{ secret: string }>
          title="Rotate this token"
          action="Rotate"
          change={(fields) => ({
            method: 'POST',
            path: pathTo`api/admin/api-tokens/${id}/rotate`,
            body: { overlapHours: Number(fields.get('days')) * DAY_HOURS },
          })}
          done={say`${tokenName} has a successor.`}
          onClose={close}
          onDone={(created) => {
            onRotated(created.secret);
          }}
        >
          <p>A new token gets the same rights. The old one stays valid until everybody has changed to it.</p>
          <Field label="Days until the old token ends">
            <input name="days" type="number" min={1} max={365} required defaultValue="7" />
          </Field>
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

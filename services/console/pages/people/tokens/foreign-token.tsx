import { useConsole } from '../../../console.ts';
import { pathTo } from '../../../state/paths/path.ts';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { useSecretDialog } from './secret-dialog.tsx';
import { NewTokenFields, newTokenOf } from './personal-tokens.tsx';

const PATH = pathTo`api/admin/user/tokens/take-over`;

/** Replaces the token of this tab, which somebody else made, and signs in with the new one. */
export function ForeignToken({ isForeign }: { readonly isForeign: boolean }) {
  const { session } = useConsole();
  const secretDialog = useSecretDialog();
  return (
    <>
      {isForeign && (
        <>
          <p>Somebody else made the token with which you signed in. It can neither approve nor reject.</p>
          <p class="actions">
            <DialogButton label="Replace it with your own">
              {(close) => (
                <ChangeDialog<{ secret: string }>
                  title="Replace the token"
                  action="Replace"
                  change={(fields) => ({ method: 'POST', path: PATH, body: newTokenOf(fields) })}
                  done="The token is replaced. The old one no longer works."
                  onClose={close}
                  onDone={(created) => {
                    session.signIn(created.secret);
                    secretDialog.show(created.secret);
                  }}
                >
                  <p>
                    Only you know the new token. The old one stops working at once, for everyone who uses it.
                  </p>
                  <NewTokenFields />
                </ChangeDialog>
              )}
            </DialogButton>
          </p>
        </>
      )}
      {secretDialog.dialog}
    </>
  );
}

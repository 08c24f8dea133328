import { useState } from 'preact/hooks';
import { Dialog, Field } from '../../../ui/dialogs/dialog.tsx';

type Props = { readonly secret: string; readonly onClose: () => void };

/** A dialog that `show` opens with a new secret. Nothing keeps the secret after the dialog is closed. */
export function useSecretDialog() {
  const [secret, show] = useState<string>();
  const close = (): void => {
    show(undefined);
  };
  return { show, dialog: secret !== undefined && <SecretDialog secret={secret} onClose={close} /> };
}

function SecretDialog({ secret, onClose }: Props) {
  const [outcome, setOutcome] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(secret);
      setOutcome('Copied.');
    } catch {
      setOutcome('The browser does not allow it. Select the secret and copy it.');
    }
  };
  return (
    <Dialog title="Copy the secret now" onClose={onClose}>
      <div class="fields">
        <Field label="Secret. It is never shown again.">
          <input
            readOnly
            autocomplete="off"
            value={secret}
            onFocus={(event) => {
              event.currentTarget.select();
            }}
          />
        </Field>
        <p role="status">{outcome}</p>
        <p class="actions">
          <button type="button" onClick={copy}>
            Copy
          </button>
          <button type="button" class="primary" onClick={onClose}>
            Close
          </button>
        </p>
      </div>
    </Dialog>
  );
}

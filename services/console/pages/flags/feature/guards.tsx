import { useMay } from '../../../api/caller.ts';
import { featurePath } from '../../../state/paths/feature-paths.ts';
import type { Feature, Guard } from '../../../types.ts';
import { isolate, list, say } from '#base/words';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Opened } from '../../../ui/dialogs/opened.tsx';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { GuardFields } from './guard-fields.tsx';
import { useList } from './strategy/list.ts';

type Props = { readonly feature: Feature };

/** The impact metrics that must not become worse where the feature is on. Unleash has none, so its features can have them too. */
export function Guards({ feature }: Props) {
  const may = useMay();
  if (!may('UPDATE_FEATURE', { project: feature.project })) return null;
  return (
    <DialogButton label="Guards">
      {(close) => <GuardsDialog feature={feature} onClose={close} />}
    </DialogButton>
  );
}

const TITLE = 'Guards of this feature';

function GuardsDialog({ feature, onClose }: Props & { readonly onClose: () => void }) {
  return (
    <Opened<Feature> title={TITLE} path={featurePath(feature)} onClose={onClose}>
      {(opened, etag) => <GuardsForm feature={opened} etag={etag} onClose={onClose} />}
    </Opened>
  );
}

type FormProps = Props & { readonly etag: string | undefined; readonly onClose: () => void };

function GuardsForm({ feature, etag, onClose }: FormProps) {
  const list = useList<Guard>(feature.guards);
  const path = featurePath(feature);
  return (
    <ChangeDialog
      title={TITLE}
      action="Save"
      change={(fields) => withReason({ method: 'PUT', path, body: { guards: list.values } }, fields)}
      edited={{ path, opened: feature, etag, shown: shownOf }}
      undo={{ method: 'PUT', path, body: { guards: feature.guards } }}
      done={say`The guards of ${feature.name} were changed.`}
      onClose={onClose}
    >
      <p>
        Impact metrics that must not become worse where the feature is on. If one does, the overview shows the
        feature as harmful. flagmeter turns it off by what trusted tokens sent, while whoever has set the
        guard may do so; otherwise an event says why not.
      </p>
      {list.items.map(({ key, value }, index) => (
        <fieldset key={key}>
          <legend>Guard {index + 1}</legend>
          <GuardFields
            of={value}
            feature={feature}
            onChange={(changed) => {
              list.change(key, changed);
            }}
          />
          <button
            type="button"
            aria-label={say`Remove guard ${index + 1}`}
            onClick={() => {
              list.remove(key);
            }}
          >
            Remove
          </button>
        </fieldset>
      ))}
      {list.items.length < 20 && (
        <button
          type="button"
          onClick={() => {
            list.add({ metric: '', direction: 'up', threshold: 0, above: null, turnOff: [] });
          }}
        >
          Add a guard
        </button>
      )}
      <Reason />
    </ChangeDialog>
  );
}

function shownOf({ guards }: Feature): Record<string, string> {
  return { Guards: guards.map(guardWords).join('; ') };
}

function guardWords({ metric, direction, threshold, above, turnOff }: Guard): string {
  const where = turnOff.length === 0 ? '' : `, turns off in ${list(turnOff)}`;
  return `${isolate(metric)}${above === null ? '' : ` above ${above}`} ${direction} by ${threshold}${where}`;
}

import { useState } from 'preact/hooks';
import { useMay } from '../../api/caller.ts';
import { featurePath } from '../../api/feature.ts';
import { useResource } from '../../api/requests/resource.ts';
import type { Feature } from '../../types.ts';
import { DialogButton } from '../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog, Dialog, Field } from '../../ui/dialogs/dialog.tsx';
import { Skeleton } from '../../ui/loaded.tsx';
import { useList } from './strategy/list.ts';

type Guard = Feature['guards'][number];
type Props = { readonly feature: Feature };

/** The impact metrics that must not become worse where the feature is on. Unleash has none, so its features can have them too. */
export function Guards({ feature }: Props) {
  const may = useMay();
  if (!may('UPDATE_FEATURE')) return null;
  return (
    <DialogButton label="Guards">
      {(close) => <GuardsDialog feature={feature} onClose={close} />}
    </DialogButton>
  );
}

const TITLE = 'Guards of this feature';

function GuardsDialog({ feature, onClose }: Props & { readonly onClose: () => void }) {
  const { data, etag } = useResource<Feature>(featurePath(feature));
  if (data === undefined)
    return (
      <Dialog title={TITLE} onClose={onClose}>
        <Skeleton lines={4} />
      </Dialog>
    );
  return <GuardsForm feature={data} etag={etag} onClose={onClose} />;
}

type FormProps = Props & { readonly etag: string | undefined; readonly onClose: () => void };

/** Sends the version that the reader saw, although the page reads the feature again meanwhile. */
function GuardsForm({ onClose, ...opened }: FormProps) {
  const [{ feature, etag }] = useState(opened);
  const list = useList<Guard>(feature.guards);
  const path = featurePath(feature);
  return (
    <ChangeDialog
      title={TITLE}
      action="Save"
      change={() => ({ method: 'PUT', path, ifMatch: etag, body: { guards: list.values } })}
      undo={{ method: 'PUT', path, body: { guards: feature.guards } }}
      done={`The guards of ${feature.name} were changed.`}
      onClose={onClose}
    >
      <p>
        An impact metric that must not become worse where the feature is on. If it does, the feature is
        harmful, and stands first under what is worth doing.
      </p>
      {list.items.map(({ key, value }, index) => (
        <fieldset key={key}>
          <legend>Guard {index + 1}</legend>
          <Fields
            of={value}
            onChange={(changed) => {
              list.change(key, changed);
            }}
          />
          <button
            type="button"
            aria-label={`Remove guard ${index + 1}`}
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
            list.add({ metric: '', direction: 'up', threshold: 0, above: null, turnOff: false });
          }}
        >
          Add a guard
        </button>
      )}
    </ChangeDialog>
  );
}

type FieldsProps = { readonly of: Guard; readonly onChange: (guard: Guard) => void };

function Fields({ of: guard, onChange }: FieldsProps) {
  return (
    <>
      <div class="pair">
        <Field label="Impact metric">
          <input
            required
            maxLength={255}
            value={guard.metric}
            onInput={({ currentTarget }) => {
              onChange({ ...guard, metric: currentTarget.value });
            }}
          />
        </Field>
        <Field label="Worse is">
          <select
            value={guard.direction}
            onChange={({ currentTarget }) => {
              onChange({ ...guard, direction: currentTarget.value === 'down' ? 'down' : 'up' });
            }}
          >
            <option value="up">more of it</option>
            <option value="down">less of it</option>
          </select>
        </Field>
      </div>
      <div class="pair">
        <Field label="Accepted change in %">
          <input
            type="number"
            required
            min={0}
            max={99}
            step="any"
            defaultValue={String(Number((guard.threshold * 100).toPrecision(12)))}
            onInput={({ currentTarget }) => {
              onChange({ ...guard, threshold: currentTarget.valueAsNumber / 100 });
            }}
          />
        </Field>
        <Field label="Only above, for a histogram">
          <input
            type="number"
            min={0}
            step="any"
            defaultValue={guard.above === null ? '' : String(guard.above)}
            onInput={({ currentTarget: { value, valueAsNumber } }) => {
              onChange({ ...guard, above: value === '' ? null : valueAsNumber });
            }}
          />
        </Field>
      </div>
      <label>
        <input
          type="checkbox"
          checked={guard.turnOff}
          onChange={({ currentTarget }) => {
            onChange({ ...guard, turnOff: currentTarget.checked });
          }}
        />{' '}
        Turn the feature off where it is harmful
      </label>
    </>
  );
}

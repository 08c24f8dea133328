import { useState } from 'preact/hooks';
import { useMay } from '../../api/caller.ts';
import { featurePath } from '../../api/feature.ts';
import { useResource } from '../../api/resource.ts';
import type { Feature } from '../../api/types.ts';
import { ChangeDialog, Dialog, Field } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/loaded.tsx';

const TYPES = ['release', 'experiment', 'operational', 'kill-switch', 'permission'];

/** Type, description and stale mark. Those of Unleash's features are edited there. */
export function Edit({ feature }: { readonly feature: Feature }) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may('UPDATE_FEATURE') || feature.source === 'unleash') return null;
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setOpen(true);
        }}
      >
        Edit
      </button>
      {isOpen && (
        <EditDialog
          feature={feature}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}

type DialogProps = { readonly feature: Feature; readonly onClose: () => void };

/** Sends the version that the reader saw. If somebody else was faster, the fields show what is new. */
function EditDialog({ feature, onClose }: DialogProps) {
  const path = featurePath(feature);
  const { data, etag } = useResource<Feature>(path);
  const title = 'Edit this feature';
  if (data === undefined)
    return (
      <Dialog title={title} onClose={onClose}>
        <Skeleton lines={4} />
      </Dialog>
    );
  const { type, description, stale } = data;
  return (
    <ChangeDialog
      title={title}
      action="Save"
      change={(fields) => ({ method: 'PUT', path, ifMatch: etag, body: updateIn(fields) })}
      undo={{ method: 'PUT', path, body: { type, description, stale } }}
      done={`${feature.name} was changed.`}
      onClose={onClose}
    >
      <Fields key={versionIn(etag)} of={data} />
    </ChangeDialog>
  );
}

/** The rest of an ETag also changes with the last evaluation, which must not clear what somebody types. */
function versionIn(etag: string | undefined): string | undefined {
  return etag?.split('-')[0];
}

function Fields({ of: { type, description, stale } }: { readonly of: Feature }) {
  return (
    <>
      <Field label="Type">
        <select name="type" defaultValue={type}>
          {[...new Set([...TYPES, type])].map((choice) => (
            <option key={choice} value={choice} selected={choice === type}>
              {choice}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Description">
        <textarea name="description" maxLength={10_000} defaultValue={description ?? ''} />
      </Field>
      <label>
        <input type="checkbox" name="stale" defaultChecked={stale} /> It should be removed from the code
        (stale)
      </label>
    </>
  );
}

function updateIn(fields: FormData): Pick<Feature, 'type' | 'description' | 'stale'> {
  const description = textOf(fields, 'description').trim();
  return {
    type: textOf(fields, 'type'),
    description: description === '' ? null : description,
    stale: fields.has('stale'),
  };
}

/** A text field of a form; empty without it. */
export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}

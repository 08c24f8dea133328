import { useState } from 'preact/hooks';
import { useMay } from '../../../api/caller.ts';
import { featurePath } from '../../../api/flags/feature.ts';
import { useResource } from '../../../api/requests/resource.ts';
import type { Feature } from '../../../types.ts';
import { ChangeDialog, Dialog, Field } from '../../../ui/dialogs/dialog.tsx';
import { textOf } from '../../../ui/dialogs/fields.ts';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { Skeleton } from '../../../ui/loaded.tsx';

const TYPES = ['release', 'experiment', 'operational', 'kill-switch', 'permission'];

/** Everything about a feature of flagmeter, and the owner of one of Unleash: the rest is edited there. */
export function Edit({ feature }: { readonly feature: Feature }) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may('UPDATE_FEATURE', { project: feature.project })) return null;
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
  const before = data.source === 'unleash' ? { owner: data.owner } : contentOf(data);
  return (
    <ChangeDialog
      title={title}
      action="Save"
      change={(fields) =>
        withReason(
          {
            method: 'PUT',
            path,
            ifMatch: etag,
            body: data.source === 'unleash' ? ownerIn(fields) : updateIn(fields),
          },
          fields,
        )
      }
      undo={{ method: 'PUT', path, body: before }}
      done={`${feature.name} was changed.`}
      onClose={onClose}
    >
      <Fields key={versionIn(etag)} of={data} />
      <Reason />
    </ChangeDialog>
  );
}

/** The rest of an ETag also changes with the last evaluation, which must not clear what somebody types. */
function versionIn(etag: string | undefined): string | undefined {
  return etag?.split('-')[0];
}

function Fields({ of }: { readonly of: Feature }) {
  const { type, description, stale, owner, tags, source } = of;
  const ownerField = (
    <Field label="Owner: team or person">
      <input name="owner" maxLength={255} defaultValue={owner ?? ''} />
    </Field>
  );
  if (source === 'unleash') return ownerField;
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
      {ownerField}
      <Field label="Tags in the form type:value, one in a line">
        <textarea name="tags" rows={3} defaultValue={tags.join('\n')} />
      </Field>
      <label>
        <input type="checkbox" name="stale" defaultChecked={stale} /> It should be removed from the code
        (stale)
      </label>
    </>
  );
}

type Content = Pick<Feature, 'type' | 'description' | 'stale' | 'owner' | 'tags'>;

function contentOf({ type, description, stale, owner, tags }: Feature): Content {
  return { type, description, stale, owner, tags };
}

function ownerIn(fields: FormData): Pick<Feature, 'owner'> {
  return { owner: textOrNull(fields, 'owner') };
}

function updateIn(fields: FormData): Content {
  const tags = textOf(fields, 'tags')
    .split('\n')
    .map((tag) => tag.trim());
  return {
    type: textOf(fields, 'type'),
    description: textOrNull(fields, 'description'),
    stale: fields.has('stale'),
    ...ownerIn(fields),
    tags: [...new Set(tags)].filter((tag) => tag !== ''),
  };
}

function textOrNull(fields: FormData, name: string): string | null {
  const value = textOf(fields, name).trim();
  return value === '' ? null : value;
}

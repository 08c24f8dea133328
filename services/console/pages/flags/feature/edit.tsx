import { useState } from 'preact/hooks';
import { useMay } from '../../../api/caller.ts';
import { featurePath } from '../../../state/paths/feature-paths.ts';
import { useResource } from '../../../api/requests/resource.ts';
import type { Feature } from '../../../types.ts';
import { isolate, say } from '#base/words';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { textOrNull } from '../../../ui/dialogs/fields.ts';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { Skeleton } from '../../../ui/loaded.tsx';
import { ContentFields, OwnerField, contentIn } from '../feature-content.tsx';

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

const TITLE = 'Edit this feature';

type DialogProps = { readonly feature: Feature; readonly onClose: () => void };

/** The fields hold what the reader saw when they opened it, and what they typed since, although the page reads the feature again. */
function EditDialog({ feature, onClose }: DialogProps) {
  const path = featurePath(feature);
  const { data, etag } = useResource<Feature>(path);
  if (data === undefined)
    return (
      <Dialog title={TITLE} onClose={onClose}>
        <Skeleton lines={4} />
      </Dialog>
    );
  return <EditForm opened={data} etag={etag} onClose={onClose} />;
}

type FormProps = Pick<DialogProps, 'onClose'> & {
  readonly opened: Feature;
  readonly etag: string | undefined;
};

function EditForm({ onClose, ...given }: FormProps) {
  const [{ opened, etag }] = useState(given);
  const path = featurePath(opened);
  const isOfUnleash = opened.source === 'unleash';
  const before = isOfUnleash ? { owner: opened.owner } : contentOf(opened);
  return (
    <ChangeDialog
      title={TITLE}
      action="Save"
      change={(fields) =>
        withReason({ method: 'PUT', path, body: isOfUnleash ? ownerIn(fields) : updateIn(fields) }, fields)
      }
      edited={{ path, opened, etag, shown: isOfUnleash ? ownerOf : shownOf }}
      undo={{ method: 'PUT', path, body: before }}
      done={say`${opened.name} was changed.`}
      onClose={onClose}
    >
      <Fields of={opened} />
      <Reason />
    </ChangeDialog>
  );
}

function Fields({ of }: { readonly of: Feature }) {
  if (of.source === 'unleash') return <OwnerField owner={of.owner} />;
  return (
    <>
      <ContentFields {...of} />
      <label>
        <input type="checkbox" name="stale" defaultChecked={of.stale} /> It should be removed from the code
        (stale)
      </label>
    </>
  );
}

type Content = Pick<Feature, 'type' | 'description' | 'stale' | 'owner' | 'tags'>;

function contentOf({ type, description, stale, owner, tags }: Feature): Content {
  return { type, description, stale, owner, tags };
}

/** What the form sets, by its labels. */
function shownOf(feature: Feature): Record<string, string> {
  return {
    Type: feature.type,
    Description: feature.description ?? '',
    ...ownerOf(feature),
    Tags: feature.tags.map(isolate).join(', '),
    Stale: feature.stale ? 'yes' : 'no',
  };
}

function ownerOf({ owner }: Feature): Record<string, string> {
  return { Owner: owner ?? '' };
}

function ownerIn(fields: FormData): Pick<Feature, 'owner'> {
  return { owner: textOrNull(fields, 'owner') };
}

function updateIn(fields: FormData): Content {
  return { ...contentIn(fields), stale: fields.has('stale') };
}

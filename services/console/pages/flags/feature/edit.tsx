import { useMay } from '../../../api/caller.ts';
import { featurePath } from '../../../state/paths/feature-paths.ts';
import type { Feature } from '../../../types.ts';
import { list, say } from '#base/words';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { textOrNull } from '../../../ui/dialogs/fields.ts';
import { Opened } from '../../../ui/dialogs/opened.tsx';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { ContentFields, OwnerField, contentIn } from '../feature-content.tsx';

/** Everything about a feature of flagmeter, and the owner of one of Unleash: the rest is edited there. */
export function Edit({ feature }: { readonly feature: Feature }) {
  const may = useMay();
  if (!may('UPDATE_FEATURE', { project: feature.project })) return null;
  return (
    <DialogButton label="Edit">{(close) => <EditDialog feature={feature} onClose={close} />}</DialogButton>
  );
}

const TITLE = 'Edit this feature';

type DialogProps = { readonly feature: Feature; readonly onClose: () => void };

function EditDialog({ feature, onClose }: DialogProps) {
  const path = featurePath(feature);
  return (
    <Opened<Feature> title={TITLE} path={path} onClose={onClose}>
      {(opened, etag) => {
        const isOfUnleash = opened.source === 'unleash';
        const before = isOfUnleash ? { owner: opened.owner } : contentOf(opened);
        return (
          <ChangeDialog
            title={TITLE}
            action="Save"
            change={(fields) =>
              withReason(
                { method: 'PUT', path, body: isOfUnleash ? ownerIn(fields) : updateIn(fields) },
                fields,
              )
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
      }}
    </Opened>
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
    Tags: list(feature.tags),
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

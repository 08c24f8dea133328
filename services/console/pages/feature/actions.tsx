import { useState } from 'preact/hooks';
import { useMay } from '../../api/caller.ts';
import type { Change } from '../../api/client.ts';
import type { Feature } from '../../api/types.ts';
import { ChangeButton } from '../../ui/change-button.tsx';
import { ChangeDialog } from '../../ui/dialog.tsx';

/** On and off in each environment, and archive. */
export function FeatureActions({ feature }: { readonly feature: Feature }) {
  return (
    <p class="actions">
      {feature.environments.map(({ name, enabled }) => (
        <ChangeButton
          key={name}
          needs="UPDATE_FEATURE"
          change={switchChange(feature, name, !enabled)}
          undo={switchChange(feature, name, enabled)}
          done={`${feature.name} is ${enabled ? 'off' : 'on'} in ${name}.`}
        >
          Turn {enabled ? 'off' : 'on'} in <bdi>{name}</bdi>
        </ChangeButton>
      ))}
      <Archive name={feature.name} />
    </p>
  );
}

function switchChange({ name, project }: Feature, environment: string, isOn: boolean): Change {
  const feature = `api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
  return {
    method: 'POST',
    path: `${feature}/environments/${encodeURIComponent(environment)}/${isOn ? 'on' : 'off'}`,
  };
}

function Archive({ name }: { readonly name: string }) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may('DELETE_FEATURE')) return null;
  const path = `api/admin/archive/${encodeURIComponent(name)}`;
  const revive = `api/admin/archive/revive/${encodeURIComponent(name)}`;
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setOpen(true);
        }}
      >
        Archive
      </button>
      {isOpen && (
        <ChangeDialog
          title="Archive this feature"
          action="Archive"
          change={() => ({ method: 'DELETE', path })}
          undo={{ method: 'POST', path: revive }}
          done={`${name} is archived.`}
          onClose={() => {
            setOpen(false);
          }}
        >
          <p>It can be revived, and is then off in every environment.</p>
        </ChangeDialog>
      )}
    </>
  );
}

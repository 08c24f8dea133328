import { useState } from 'preact/hooks';
import { useMay } from '../../api/caller.ts';
import { archiveChange, reviveChange } from '../../api/clean-up.ts';
import type { Change } from '../../api/client.ts';
import { useVerdicts } from '../../api/features.ts';
import type { Feature } from '../../api/types.ts';
import { ChangeButton } from '../../ui/change-button.tsx';
import { ChangeDialog } from '../../ui/dialog.tsx';
import { Refused } from './refused.tsx';

/** On and off in each environment, and archive. */
export function FeatureActions({ feature }: { readonly feature: Feature }) {
  return (
    <div class="actions">
      {feature.environments.map((environment) => (
        <Switch key={environment.name} feature={feature} environment={environment} />
      ))}
      <Archive feature={feature} />
    </div>
  );
}

type SwitchProps = { readonly feature: Feature; readonly environment: Feature['environments'][number] };

/** Where approvals are required, the refusal leads to a change request. */
function Switch({ feature, environment: { name, enabled } }: SwitchProps) {
  const verb = `Turn ${enabled ? 'off' : 'on'}`;
  const request = {
    ...{ project: feature.project, environment: name, title: `${verb} ${feature.name}` },
    changes: [{ feature: feature.name, action: 'updateEnabled', payload: { enabled: !enabled } }],
  };
  return (
    <ChangeButton
      needs="UPDATE_FEATURE"
      change={switchChange(feature, name, !enabled)}
      undo={switchChange(feature, name, enabled)}
      done={`${feature.name} is ${enabled ? 'off' : 'on'} in ${name}.`}
      showProblem={(problem) => <Refused problem={problem} request={request} />}
    >
      {verb} in <bdi>{name}</bdi>
    </ChangeButton>
  );
}

function switchChange({ name, project }: Feature, environment: string, isOn: boolean): Change {
  const feature = `api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
  return {
    method: 'POST',
    path: `${feature}/environments/${encodeURIComponent(environment)}/${isOn ? 'on' : 'off'}`,
  };
}

function Archive({ feature: { name } }: { readonly feature: Feature }) {
  const may = useMay();
  const verdicts = useVerdicts(name).data?.verdicts ?? [];
  const [isOpen, setOpen] = useState(false);
  if (!may('DELETE_FEATURE')) return null;
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
          change={() => archiveChange(name)}
          undo={reviveChange(name)}
          done={`${name} is archived.`}
          onClose={() => {
            setOpen(false);
          }}
        >
          {verdicts
            .filter(({ verdict }) => verdict === 'archive_evidence')
            .map(({ environment, sentence }) => (
              <p key={environment}>
                <bdi>{sentence}</bdi>
              </p>
            ))}
          <p>It can be revived, and is then off in every environment.</p>
        </ChangeDialog>
      )}
    </>
  );
}

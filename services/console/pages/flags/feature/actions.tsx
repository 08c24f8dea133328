import { useContext } from 'preact/hooks';
import { useMay } from '../../../api/caller.ts';
import { archiveChange, reviveChange } from '../../../api/advice/clean-up.ts';
import { featurePath } from '../../../state/paths/feature-paths.ts';
import { useVerdicts } from '../../../api/flags/features.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Feature } from '../../../types.ts';
import { say } from '#base/words';
import { lastHourOf } from './usage/last-hour.ts';
import { EVERY } from '../../../state/may.ts';
import { isSwitched } from '../../../state/switched.ts';
import type { Usage } from '../../../state/usage.ts';
import { ChangeButton } from '../../../ui/dialogs/change-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Edit } from './edit.tsx';
import { mainEnvironment } from './environment.tsx';
import { Guards } from './guards.tsx';
import { Move } from './move.tsx';
import { offerRequest } from './refused.tsx';
import { EvaluatedNow } from './switch/consequences.tsx';
import { ProductionContext } from './switch/production.ts';
import { Switch } from './switch/switch.tsx';
import { Sentence } from '../../../ui/parts.tsx';

type Props = {
  readonly feature: Feature;
  /** By environment; undefined until it is known. */
  readonly usage: Usage | undefined;
};

/** Favourite, on and off in each environment, edit, guards, move and archive; revive what is archived. */
export function FeatureActions({ feature, usage }: Props) {
  if (feature.archived) return <Revive feature={feature} />;
  return (
    <div class="buttons">
      <Favourite feature={feature} />
      {isSwitched(feature) &&
        feature.environments.map((environment) => (
          <Switch
            key={environment.name}
            feature={feature}
            environment={environment}
            perHour={usage && lastHourOf(usage, environment.name)}
          />
        ))}
      <Edit feature={feature} />
      <Guards feature={feature} />
      <Move feature={feature} />
      <Archive feature={feature} />
    </div>
  );
}

function Favourite({ feature }: { readonly feature: Feature }) {
  const path = pathTo`${featurePath(feature)}/favorites`;
  return (
    <ChangeButton
      needs="READ"
      where={{ project: feature.project }}
      change={{ method: feature.favorite ? 'DELETE' : 'POST', path }}
      done={say`${feature.name} is ${feature.favorite ? 'no favourite any more' : 'a favourite'}.`}
      isPressed={feature.favorite}
      class="favourite"
    >
      <Icon name="star" /> Favourite
    </ChangeButton>
  );
}

function Revive({ feature: { name, project, source } }: { readonly feature: Feature }) {
  // Only Unleash can revive its own.
  if (source === 'unleash') return null;
  return (
    <div class="buttons">
      <ChangeButton
        needs="UPDATE_FEATURE"
        where={{ project, environment: EVERY }}
        change={reviveChange(name)}
        done={say`${name} is active, and off in every environment.`}
      >
        Revive
      </ChangeButton>
    </div>
  );
}

/** Where approvals are required, the refusal leads to a change request. */
function Archive({ feature }: { readonly feature: Feature }) {
  const { name, project, source } = feature;
  const environment = mainEnvironment(feature);
  const may = useMay();
  if (!may('DELETE_FEATURE', { project, environment: EVERY })) return null;
  return (
    <DialogButton label="Archive">
      {(close) => (
        <ChangeDialog
          title="Archive this feature"
          action="Archive"
          change={(fields) => withReason(archiveChange(name), fields)}
          undo={source === 'unleash' ? undefined : reviveChange(name)}
          done={say`${name} is archived.`}
          showProblem={(problem) =>
            environment &&
            offerRequest(problem, {
              project,
              environment,
              title: say`Archive ${name}`,
              changes: [{ feature: name, action: 'archiveFeature' }],
            })
          }
          onClose={close}
        >
          <Evidence of={feature} />
          <p>
            {source === 'unleash'
              ? 'It is archived in Unleash, and can be revived there.'
              : 'It can be revived, and is then off in every environment.'}
          </p>
          <Reason />
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

/** Who evaluates the feature now in production, and who did so last. */
function Evidence({ of: { name, environments } }: { readonly of: Feature }) {
  const isProduction = useContext(ProductionContext);
  const verdicts = useVerdicts({ feature: name }).data?.verdicts ?? [];
  return (
    <>
      {environments
        .filter((one) => isProduction(one.name))
        .map((one) => (
          <EvaluatedNow key={one.name} feature={name} environment={one.name} />
        ))}
      {verdicts
        .filter(({ verdict }) => verdict === 'archive_evidence')
        .map(({ environment, sentence }) => (
          <p key={environment}>
            <Sentence>{sentence}</Sentence>
          </p>
        ))}
    </>
  );
}

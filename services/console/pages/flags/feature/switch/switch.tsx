import { useMay } from '../../../../api/caller.ts';
import { featurePath } from '../../../../state/paths/feature-paths.ts';
import type { Problem } from '../../../../api/requests/problem.ts';
import type { Change, Feature } from '../../../../types.ts';
import { perHourWords } from '../../../../state/sentences/index.ts';
import { ChangeButton } from '../../../../ui/dialogs/change-button.tsx';
import { DialogButton } from '../../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../../ui/dialogs/change-dialog.tsx';
import { Reason, withReason } from '../../../../ui/dialogs/reason.tsx';
import { Consequences } from './consequences.tsx';
import { useIsProduction } from './production.ts';
import { offerRequest } from '../refused.tsx';
import { pathTo } from '../../../../state/paths/path.ts';
import { say } from '#base/words';
import { Isolated } from '../../../../ui/parts.tsx';

type Props = {
  readonly feature: Feature;
  readonly environment: Feature['environments'][number];
  /** How many evaluations the switch changes, from the last complete hour. */
  readonly perHour: number | undefined;
};

/** On or off in an environment. In production it asks first, because it acts on customers at once. */
export function Switch(props: Props) {
  const { feature, environment } = props;
  const where = { project: feature.project, environment: environment.name };
  const isProduction = useIsProduction(environment.name);
  const mayAsk = useMay()('UPDATE_FEATURE', where);
  if (!isProduction)
    return (
      <ChangeButton needs="UPDATE_FEATURE" where={where} {...switching(props)}>
        <Label {...props} />
      </ChangeButton>
    );
  if (!mayAsk) return null;
  return (
    <DialogButton label={<Label {...props} />}>
      {(close) => <Asking {...props} onClose={close} />}
    </DialogButton>
  );
}

function Asking({ onClose, ...props }: Props & { readonly onClose: () => void }) {
  const { feature, environment } = props;
  const { change, ...outcome } = switching(props);
  const verb = verbOf(environment.enabled);
  return (
    <ChangeDialog
      title={say`${verb} in ${environment.name}`}
      action={verb}
      change={(fields) => withReason(change, fields)}
      {...outcome}
      onClose={onClose}
    >
      <Consequences feature={feature.name} environment={environment.name} isOn={environment.enabled} />
      <Reason />
    </ChangeDialog>
  );
}

function Label({ environment: { name, enabled }, perHour }: Props) {
  return (
    <>
      {verbOf(enabled)} in <Isolated>{name}</Isolated>
      {perHour !== undefined && (
        <span class="touched" title="Evaluations in the last complete hour">
          {perHourWords(perHour)}
        </span>
      )}
    </>
  );
}

/** What the switch does, and what the reader is told. Where approvals are required, the refusal leads to a change request. */
function switching({ feature, environment: { name, enabled } }: Props) {
  const request = {
    project: feature.project,
    environment: name,
    title: say`${verbOf(enabled)} ${feature.name}`,
    changes: [{ feature: feature.name, action: 'updateEnabled', payload: { enabled: !enabled } }],
  };
  return {
    change: switchChange(feature, name, !enabled),
    undo: switchChange(feature, name, enabled),
    done: say`${feature.name} is ${enabled ? 'off' : 'on'} in ${name}.`,
    showProblem: (problem: Problem) => offerRequest(problem, request),
  };
}

function verbOf(isOn: boolean): string {
  return `Turn ${isOn ? 'off' : 'on'}`;
}

function switchChange(feature: Feature, environment: string, isOn: boolean): Change {
  return {
    method: 'POST',
    path: pathTo`${featurePath(feature)}/environments/${environment}/${isOn ? 'on' : 'off'}`,
  };
}

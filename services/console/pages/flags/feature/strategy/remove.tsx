import { useMay } from '../../../../api/caller.ts';
import type { Problem } from '../../../../api/requests/problem.ts';
import type { FeatureStrategy } from '../../../../types.ts';
import { ChangeButton } from '../../../../ui/dialogs/change-button.tsx';
import { DialogButton } from '../../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../../ui/dialogs/change-dialog.tsx';
import { Reason, withReason } from '../../../../ui/dialogs/reason.tsx';
import { offerRequest } from '../refused.tsx';
import { EvaluatedNow } from '../switch/consequences.tsx';
import { useIsProduction } from '../switch/production.ts';
import { strategiesPath } from '../../../../state/paths/feature-paths.ts';
import type { StrategyPlace } from './dialog.tsx';
import { pathTo } from '../../../../state/paths/path.ts';
import { say } from '#base/words';

type Props = { readonly place: StrategyPlace; readonly strategy: FeatureStrategy };

/** Removes a strategy. It comes back by "Undo", as the last one. In production it asks first. */
export function RemoveStrategy({ place, strategy }: Props) {
  const { feature, environment } = place;
  const where = { project: feature.project, environment };
  const may = useMay();
  const isProduction = useIsProduction(environment);
  const { change, ...outcome } = removing({ place, strategy });
  if (!isProduction)
    return (
      <ChangeButton needs="UPDATE_FEATURE" where={where} change={change} {...outcome}>
        Remove
      </ChangeButton>
    );
  if (!may('UPDATE_FEATURE', where)) return null;
  return (
    <DialogButton label="Remove">
      {(close) => (
        <ChangeDialog
          title="Remove this strategy"
          action="Remove"
          change={(fields) => withReason(change, fields)}
          {...outcome}
          onClose={close}
        >
          <EvaluatedNow feature={feature.name} environment={environment} />
          <p>Without any strategy a feature is on for everybody while it is on.</p>
          <Reason />
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

function removing({ place: { feature, environment, etag }, strategy: { id, ...content } }: Props) {
  const path = strategiesPath(feature, environment);
  const request = {
    project: feature.project,
    environment,
    title: say`Remove a strategy of ${feature.name}`,
    changes: [{ feature: feature.name, action: 'deleteStrategy', payload: { id } }],
  };
  return {
    change: { method: 'DELETE', path: pathTo`${path}/${id}`, ifMatch: etag },
    undo: { method: 'POST', path, body: content },
    done: say`A strategy of ${feature.name} was removed in ${environment}.`,
    showProblem: (problem: Problem) => offerRequest(problem, request),
  } as const;
}

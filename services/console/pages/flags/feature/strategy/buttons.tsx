import { useState } from 'preact/hooks';
import { useMay } from '../../../../api/caller.ts';
import type { Feature, FeatureStrategy } from '../../../../types.ts';
import { ChangeButton } from '../../../../ui/dialogs/change-button.tsx';
import { offerRequest } from '../refused.tsx';
import { StrategyDialog, type StrategyPlace, strategiesPath } from './dialog.tsx';

export function AddStrategy({ place }: { readonly place: StrategyPlace }) {
  return <Opener place={place} label={`Add a strategy in ${place.environment}`} />;
}

type ChangeProps = { readonly place: StrategyPlace; readonly strategy: FeatureStrategy };

/** Change and remove. A removed strategy comes back by "Undo", as the last one. */
export function ChangeStrategy({ place, strategy }: ChangeProps) {
  const { feature, environment, etag } = place;
  const { id, ...content } = strategy;
  const path = strategiesPath(feature, environment);
  const request = {
    project: feature.project,
    environment,
    title: `Remove a strategy of ${feature.name}`,
    changes: [{ feature: feature.name, action: 'deleteStrategy', payload: { id } }],
  };
  return (
    <div class="buttons">
      <Opener place={place} strategy={strategy} label={`Change ${strategy.title ?? strategy.name}`} />
      {isEditable(feature) && (
        <ChangeButton
          needs="UPDATE_FEATURE"
          where={{ project: feature.project, environment }}
          change={{ method: 'DELETE', path: `${path}/${id}`, ifMatch: etag }}
          undo={{ method: 'POST', path, body: content }}
          done={`A strategy of ${feature.name} was removed in ${environment}.`}
          showProblem={(problem) => offerRequest(problem, request)}
        >
          Remove
        </ChangeButton>
      )}
    </div>
  );
}

/** The API refuses to change the strategies of other features. */
function isEditable({ archived, source }: Feature): boolean {
  return !archived && source === 'flagmeter';
}

type OpenerProps = {
  readonly place: StrategyPlace;
  readonly strategy?: FeatureStrategy;
  readonly label: string;
};

/** An open dialog stays when somebody archives the feature, and says so when it is sent. */
function Opener({ place, strategy, label }: OpenerProps) {
  const { feature, environment } = place;
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {may('UPDATE_FEATURE', { project: feature.project, environment }) && isEditable(feature) && (
        <button
          type="button"
          onClick={() => {
            setOpen(true);
          }}
        >
          <bdi>{label}</bdi>
        </button>
      )}
      {isOpen && (
        <StrategyDialog
          place={place}
          {...(strategy === undefined ? {} : { strategy })}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}

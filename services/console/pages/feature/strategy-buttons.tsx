import { useState } from 'preact/hooks';
import { useMay } from '../../api/caller.ts';
import type { Feature, FeatureStrategy } from '../../api/types.ts';
import { ChangeButton } from '../../ui/change-button.tsx';
import { Refused } from './refused.tsx';
import { StrategyDialog, strategiesPath } from './strategy-dialog.tsx';

type Place = { readonly feature: Feature; readonly environment: string };

export function AddStrategy({ feature, environment }: Place) {
  return <Opener feature={feature} environment={environment} label={`Add a strategy in ${environment}`} />;
}

/** Change and remove. A removed strategy comes back by "Undo", as the last one. */
export function ChangeStrategy({
  feature,
  environment,
  strategy,
}: Place & { readonly strategy: FeatureStrategy }) {
  const { id, ...content } = strategy;
  const path = strategiesPath(feature, environment);
  const request = {
    ...{ project: feature.project, environment, title: `Remove a strategy of ${feature.name}` },
    changes: [{ feature: feature.name, action: 'deleteStrategy', payload: { id } }],
  };
  if (feature.archived) return null;
  return (
    <div class="actions">
      <Opener
        feature={feature}
        environment={environment}
        strategy={strategy}
        label={`Change ${strategy.title ?? strategy.name}`}
      />
      <ChangeButton
        needs="UPDATE_FEATURE"
        change={{ method: 'DELETE', path: `${path}/${id}` }}
        undo={{ method: 'POST', path, body: content }}
        done={`A strategy of ${feature.name} was removed in ${environment}.`}
        showProblem={(problem) => <Refused problem={problem} request={request} />}
      >
        Remove
      </ChangeButton>
    </div>
  );
}

type OpenerProps = Place & { readonly strategy?: FeatureStrategy; readonly label: string };

function Opener({ feature, environment, strategy, label }: OpenerProps) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may('UPDATE_FEATURE') || feature.archived) return null;
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setOpen(true);
        }}
      >
        <bdi>{label}</bdi>
      </button>
      {isOpen && (
        <StrategyDialog
          feature={feature}
          environment={environment}
          {...(strategy === undefined ? {} : { strategy })}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}

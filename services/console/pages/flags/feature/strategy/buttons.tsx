import { useState } from 'preact/hooks';
import { useMay } from '../../../../api/caller.ts';
import type { Feature, FeatureStrategy } from '../../../../types.ts';
import { StrategyDialog, type StrategyPlace } from './dialog.tsx';
import { RemoveStrategy } from './remove.tsx';
import { say } from '#base/words';
import { Isolated } from '../../../../ui/parts.tsx';

export function AddStrategy({ place }: { readonly place: StrategyPlace }) {
  return <Opener place={place} label={say`Add a strategy in ${place.environment}`} />;
}

type ChangeProps = { readonly place: StrategyPlace; readonly strategy: FeatureStrategy };

/** Change and remove. */
export function ChangeStrategy({ place, strategy }: ChangeProps) {
  return (
    <div class="buttons">
      <Opener place={place} strategy={strategy} label={say`Change ${strategy.title ?? strategy.name}`} />
      {isEditable(place.feature) && <RemoveStrategy place={place} strategy={strategy} />}
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
          <Isolated>{label}</Isolated>
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

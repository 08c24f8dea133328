import { useMay } from '../../../api/caller.ts';
import type { Feature, Guard } from '../../../types.ts';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { limitsOf } from '../../../ui/dialogs/control.ts';
import { Isolated } from '../../../ui/parts.tsx';

type Props = { readonly of: Guard; readonly onChange: (guard: Guard) => void };

/** An impact metric, what is worse, and where that turns the feature off. */
export function GuardFields({ of: guard, onChange, feature }: Props & { readonly feature: Feature }) {
  return (
    <>
      <div class="pair">
        <Field label="Impact metric">
          <input
            {...limitsOf('guard', 'metric')}
            value={guard.metric}
            onInput={({ currentTarget }) => {
              onChange({ ...guard, metric: currentTarget.value });
            }}
          />
        </Field>
        <Field label="Worse is">
          <select
            value={guard.direction}
            onChange={({ currentTarget }) => {
              onChange({ ...guard, direction: currentTarget.value === 'down' ? 'down' : 'up' });
            }}
          >
            <option value="up">more of it</option>
            <option value="down">less of it</option>
          </select>
        </Field>
      </div>
      <Limits of={guard} onChange={onChange} />
      <TurnOff of={guard} onChange={onChange} feature={feature} />
    </>
  );
}

/** Its environments, of which a person can choose those where the person may turn the feature off. */
function TurnOff({ of: guard, onChange, feature }: Props & { readonly feature: Feature }) {
  const may = useMay();
  const { project, environments } = feature;
  const names = [...new Set([...environments.map(({ name }) => name), ...guard.turnOff])];
  return (
    <fieldset>
      <legend>Turn the feature off where it is harmful, in</legend>
      {names.map((environment) => (
        <label key={environment}>
          <input
            type="checkbox"
            checked={guard.turnOff.includes(environment)}
            disabled={!may('UPDATE_FEATURE', { project, environment })}
            onChange={({ currentTarget }) => {
              const others = guard.turnOff.filter((name) => name !== environment);
              onChange({ ...guard, turnOff: currentTarget.checked ? [...others, environment] : others });
            }}
          />{' '}
          <Isolated>{environment}</Isolated>
        </label>
      ))}
    </fieldset>
  );
}

/** The fields keep what is typed, for example a decimal point. */
function Limits({ of: guard, onChange }: Props) {
  return (
    <div class="pair">
      <Field label="Accepted change in %">
        <input
          type="number"
          required
          min={0}
          max={99}
          step="any"
          defaultValue={String(Number((guard.threshold * 100).toPrecision(12)))}
          onInput={({ currentTarget }) => {
            onChange({ ...guard, threshold: currentTarget.valueAsNumber / 100 });
          }}
        />
      </Field>
      <Field label="Only above, for a histogram">
        <input
          type="number"
          min={0}
          step="any"
          defaultValue={guard.above === null ? '' : String(guard.above)}
          onInput={({ currentTarget: { value, valueAsNumber } }) => {
            onChange({ ...guard, above: value === '' ? null : valueAsNumber });
          }}
        />
      </Field>
    </div>
  );
}

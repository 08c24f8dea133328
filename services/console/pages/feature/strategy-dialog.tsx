import { useRef, useState } from 'preact/hooks';
import { featurePath } from '../../api/feature.ts';
import { useResource } from '../../api/resource.ts';
import type { Feature, FeatureStrategy, Strategy } from '../../api/types.ts';
import { ChangeDialog, Field } from '../../ui/dialog.tsx';
import { textOf } from './edit.tsx';
import { offerRequest } from './refused.tsx';

export type StrategyPlace = {
  readonly feature: Feature;
  readonly environment: string;
  /** The version that the reader saw. */
  readonly etag: string | undefined;
};

type Props = {
  readonly place: StrategyPlace;
  /** The strategy to change; a new one without it. */
  readonly strategy?: FeatureStrategy;
  readonly onClose: () => void;
};

const DEFAULT_NAME = 'flexibleRollout';
const STICKINESS = ['default', 'userId', 'sessionId', 'random'];

type Content = Omit<FeatureStrategy, 'id' | 'sortOrder'>;

/** Adds a strategy, or changes whom it serves. Its constraints, variants and segments stay as they are. */
export function StrategyDialog({ place, strategy, onClose }: Props) {
  const { feature, environment, etag: ifMatch } = place;
  const path = strategiesPath(feature, environment);
  const content = useRef<Content>();
  const read = (fields: FormData): Content => {
    content.current = contentIn(fields, strategy);
    return content.current;
  };
  const verb = strategy === undefined ? 'Add' : 'Change';
  return (
    <ChangeDialog
      title={strategy === undefined ? 'Add a strategy' : 'Change this strategy'}
      action={verb}
      change={(fields) =>
        strategy === undefined
          ? { method: 'POST', path, ifMatch, body: read(fields) }
          : { method: 'PUT', path: `${path}/${strategy.id}`, ifMatch, body: read(fields) }
      }
      done={`The strategies of ${feature.name} were changed in ${environment}.`}
      showProblem={(problem) =>
        offerRequest(problem, {
          ...{ project: feature.project, environment, title: `${verb} a strategy of ${feature.name}` },
          changes: [
            strategy === undefined
              ? { feature: feature.name, action: 'addStrategy', payload: content.current }
              : {
                  ...{ feature: feature.name, action: 'updateStrategy' },
                  payload: { id: strategy.id, ...content.current },
                },
          ],
        })
      }
      onClose={onClose}
    >
      <Fields of={strategy} />
    </ChangeDialog>
  );
}

export function strategiesPath(feature: Feature, environment: string): string {
  return `${featurePath(feature)}/environments/${encodeURIComponent(environment)}/strategies`;
}

function Fields({ of: strategy }: { readonly of: FeatureStrategy | undefined }) {
  const known = useResource<{ readonly strategies: readonly Strategy[] }>('api/admin/strategies').data;
  const [name, setName] = useState(strategy?.name ?? DEFAULT_NAME);
  const { rollout = '100', stickiness = 'default' } = strategy?.parameters ?? {};
  return (
    <>
      <Field label="Strategy">
        <Choices
          name="name"
          chosen={name}
          choices={known?.strategies.map((item) => item.name) ?? []}
          onChange={setName}
        />
      </Field>
      <Field label="Title">
        <input name="title" maxLength={255} defaultValue={strategy?.title ?? ''} />
      </Field>
      {name === DEFAULT_NAME && (
        <>
          <Field label="Rollout in percent">
            <input name="rollout" type="number" min={0} max={100} required defaultValue={rollout} />
          </Field>
          <Field label="The same answer for the same">
            <Choices name="stickiness" chosen={stickiness} choices={STICKINESS} />
          </Field>
        </>
      )}
      <label>
        <input type="checkbox" name="disabled" defaultChecked={strategy?.disabled ?? false} /> Disabled: it
        has no effect
      </label>
      {strategy !== undefined && (
        <p class="muted">Its constraints, variants and segments stay as they are.</p>
      )}
    </>
  );
}

type ChoicesProps = {
  readonly name: string;
  readonly chosen: string;
  readonly choices: readonly string[];
  readonly onChange?: (chosen: string) => void;
};

function Choices({ name, chosen, choices, onChange }: ChoicesProps) {
  return (
    <select name={name} onChange={(event) => onChange?.(event.currentTarget.value)}>
      {[...new Set([chosen, ...choices])].map((choice) => (
        <option key={choice} value={choice} selected={choice === chosen}>
          {choice}
        </option>
      ))}
    </select>
  );
}

function contentIn(fields: FormData, strategy: FeatureStrategy | undefined): Content {
  const title = textOf(fields, 'title').trim();
  const name = textOf(fields, 'name');
  const { constraints = [], variants = [], segments = [] } = strategy ?? {};
  return {
    name,
    title: title === '' ? null : title,
    disabled: fields.has('disabled'),
    parameters: {
      ...(name === strategy?.name ? strategy.parameters : {}),
      // Only this strategy has them.
      ...(name === DEFAULT_NAME
        ? { rollout: textOf(fields, 'rollout'), stickiness: textOf(fields, 'stickiness') }
        : {}),
    },
    constraints,
    variants,
    segments,
  };
}

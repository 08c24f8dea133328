import { useRef, useState } from 'preact/hooks';
import { strategiesPath } from '../../../../state/paths/feature-paths.ts';
import { type Resource, useResource } from '../../../../api/requests/resource.ts';
import { pathTo } from '../../../../state/paths/path.ts';
import { strategyLines } from '../../../../state/strategies/strategy-words.ts';
import type { Feature, FeatureStrategy, Strategy } from '../../../../types.ts';
import { isolate, list, say } from '#base/words';
import { ChangeDialog } from '../../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../../ui/dialogs/control.ts';
import { Reason, withReason } from '../../../../ui/dialogs/reason.tsx';
import { Loaded } from '../../../../ui/loaded.tsx';
import { textOf } from '../../../../ui/dialogs/fields.ts';
import { offerRequest } from '../refused.tsx';
import { EvaluatedNow } from '../switch/consequences.tsx';
import { useIsProduction } from '../switch/production.ts';
import { Choices } from './choices.tsx';
import { Constraints } from './constraints.tsx';
import { useList } from './list.ts';
import { Parameters, parametersIn, usualParameters } from './parameters.tsx';
import { Variants } from './variants.tsx';

export type StrategyPlace = {
  readonly feature: Feature;
  readonly environment: string;
  readonly strategies: readonly FeatureStrategy[];
  /** The version of the strategies that the reader saw. */
  readonly etag: string | undefined;
};

type Props = {
  readonly place: StrategyPlace;
  /** The strategy to change; a new one without it. */
  readonly strategy?: FeatureStrategy;
  readonly onClose: () => void;
};

const DEFAULT_NAME = 'flexibleRollout';

type Content = Omit<FeatureStrategy, 'id' | 'sortOrder'>;
type Types = { readonly strategies: readonly Strategy[] };

/** Adds a strategy, or changes it. Its segments stay as they are. */
export function StrategyDialog({ place, strategy, onClose }: Props) {
  const [{ feature, environment, etag, strategies: opened }] = useState(place);
  const isProduction = useIsProduction(environment);
  const path = strategiesPath(feature, environment);
  const types = useResource<Types>(pathTo`api/admin/strategies`);
  const constraints = useList(strategy?.constraints ?? []);
  const variants = useList(strategy?.variants ?? []);
  const sent = useRef<Content>(undefined);
  const read = (fields: FormData): Content => {
    const stickiness = textOf(fields, 'variantStickiness');
    sent.current = {
      ...contentIn(fields, types.data, strategy),
      constraints: [...constraints.values],
      variants: variants.values.map((variant) => ({ ...variant, stickiness })),
    };
    return sent.current;
  };
  const verb = strategy === undefined ? 'Add' : 'Change';
  return (
    <ChangeDialog
      title={strategy === undefined ? 'Add a strategy' : 'Change this strategy'}
      action={verb}
      change={(fields) =>
        withReason(
          strategy === undefined
            ? { method: 'POST', path, body: read(fields) }
            : { method: 'PUT', path: pathTo`${path}/${strategy.id}`, body: read(fields) },
          fields,
        )
      }
      edited={{ path, opened, etag, shown: shownBy(strategy?.id) }}
      done={say`The strategies of ${feature.name} were changed in ${environment}.`}
      showProblem={(problem) =>
        offerRequest(problem, {
          project: feature.project,
          environment,
          title: say`${verb} a strategy of ${feature.name}`,
          changes: [
            strategy === undefined
              ? { feature: feature.name, action: 'addStrategy', payload: sent.current }
              : {
                  feature: feature.name,
                  action: 'updateStrategy',
                  payload: { id: strategy.id, ...sent.current },
                },
          ],
        })
      }
      onClose={onClose}
    >
      <Basics of={strategy} feature={feature} types={types} />
      <Constraints of={constraints} />
      <Variants of={variants} />
      {isProduction && <EvaluatedNow feature={feature.name} environment={environment} />}
      <Reason />
    </ChangeDialog>
  );
}

/** A strategy that is changed, or all of them for a new one. Other strategies are no conflict. */
function shownBy(id: string | undefined) {
  return (strategies: readonly FeatureStrategy[]): Record<string, string> => {
    const shown = strategies.filter((strategy) => id === undefined || strategy.id === id);
    const words = shown.map((strategy) => list(strategyLines(strategy)));
    return { Strategy: words.map(isolate).join('; ') || 'removed' };
  };
}

type BasicsProps = {
  readonly of: FeatureStrategy | undefined;
  readonly feature: Feature;
  readonly types: Resource<Types>;
};

/** Type, title and parameters. Another type has other parameters. */
function Basics({ of: strategy, feature, types }: BasicsProps) {
  const [name, setName] = useState(strategy?.name ?? DEFAULT_NAME);
  const given = name === strategy?.name ? strategy.parameters : {};
  return (
    <Loaded of={types} lines={4}>
      {({ strategies }) => (
        <>
          <Field label="Strategy">
            <Choices
              name="name"
              chosen={name}
              choices={strategies.map((item) => item.name)}
              onChange={setName}
            />
          </Field>
          <Field label="Title">
            <input {...controlOf('strategyOfFeature', 'title')} defaultValue={strategy?.title ?? ''} />
          </Field>
          <Parameters
            key={name}
            definitions={strategies.find((item) => item.name === name)?.parameters ?? []}
            values={name === DEFAULT_NAME ? { ...usualParameters(feature.name), ...given } : given}
          />
          <label>
            <input type="checkbox" name="disabled" defaultChecked={strategy?.disabled ?? false} /> Disabled:
            it has no effect
          </label>
        </>
      )}
    </Loaded>
  );
}

/** Parameters that the type does not define stay as they are. */
function contentIn(
  fields: FormData,
  types: Types | undefined,
  strategy: FeatureStrategy | undefined,
): Omit<Content, 'constraints' | 'variants'> {
  const title = textOf(fields, 'title').trim();
  const name = textOf(fields, 'name');
  const definitions = types?.strategies.find((item) => item.name === name)?.parameters ?? [];
  const defined = new Set(definitions.map((definition) => definition.name));
  const others = Object.entries(name === strategy?.name ? strategy.parameters : {}).filter(
    ([parameter]) => !defined.has(parameter),
  );
  return {
    name,
    title: title === '' ? null : title,
    disabled: fields.has('disabled'),
    parameters: { ...Object.fromEntries(others), ...parametersIn(fields, definitions) },
    segments: strategy?.segments ?? [],
  };
}

import type { FeatureStrategy, Strategy } from '../../../../types.ts';
import { say } from '#base/words';
import { Field } from '../../../../ui/dialogs/dialog.tsx';
import { textOf } from '../../../../ui/dialogs/fields.ts';
import { MAX_PARAMETER_LENGTH } from '../../../../ui/dialogs/limits.ts';
import { Choices, STICKINESS } from './choices.tsx';

type Definition = Strategy['parameters'][number];
type Values = FeatureStrategy['parameters'];

/** What the API sets for a gradual rollout without these parameters. */
export function usualParameters(feature: string): Values {
  return { rollout: '100', stickiness: 'default', groupId: feature };
}

type Props = { readonly definitions: readonly Definition[]; readonly values: Values };

/** A field for each parameter of a strategy type. */
export function Parameters({ definitions, values }: Props) {
  return (
    <>
      {definitions.map((definition) => (
        <Field key={definition.name} label={labelOf(definition)}>
          <Control of={definition} value={values[definition.name] ?? ''} />
        </Field>
      ))}
    </>
  );
}

type ControlProps = { readonly of: Definition; readonly value: string };

function Control({ of: { name, type, required }, value }: ControlProps) {
  const field = fieldOf(name);
  if (name === 'stickiness')
    return <Choices name={field} chosen={value === '' ? 'default' : value} choices={STICKINESS} />;
  if (type === 'boolean') return <Choices name={field} chosen={value} choices={['true', 'false']} />;
  const bounds = type === 'percentage' ? { min: 0, max: 100 } : { step: 'any' };
  return type === 'percentage' || type === 'number' ? (
    <input name={field} type="number" {...bounds} required={required} defaultValue={value} />
  ) : (
    <input
      name={field}
      maxLength={MAX_PARAMETER_LENGTH}
      required={required}
      autocomplete="off"
      defaultValue={value}
    />
  );
}

/** What the fields of these parameters hold. An empty field is no parameter. */
export function parametersIn(fields: FormData, definitions: readonly Definition[]): Values {
  return Object.fromEntries(
    definitions
      .map(({ name }) => [name, textOf(fields, fieldOf(name))] as const)
      .filter(([, value]) => value !== ''),
  );
}

/** A parameter may be called like another field of the form. */
function fieldOf(name: string): string {
  return `parameter ${name}`;
}

const LABELS: Readonly<Record<string, string>> = {
  rollout: 'Rollout in percent',
  stickiness: 'Stickiness: the same value always gets the same answer',
  groupId: 'Group: features of one group serve the same users',
};

function labelOf({ name, description }: Definition): string {
  return LABELS[name] ?? (description === '' ? name : say`${name}: ${description}`);
}

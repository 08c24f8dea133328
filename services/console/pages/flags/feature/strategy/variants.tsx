import { WHOLE, type Variant, equalWeights } from '../variants/variant-weights.ts';
import { say } from '#base/words';
import { Field } from '../../../../ui/dialogs/dialog.tsx';
import { limitsOf } from '../../../../ui/dialogs/control.ts';
import { Choices, STICKINESS } from './choices.tsx';
import type { List } from './list.ts';
import { PayloadOfVariant } from './payload.tsx';

/** The variants of a strategy. Their weights must add up. */
export function Variants({ of: list }: { readonly of: List<Variant> }) {
  const total = list.values.reduce((sum, { weight }) => sum + weight, 0);
  const wrong = total === WHOLE ? '' : `The weights add up to ${total / 10} %, not to 100 %.`;
  return (
    <>
      {list.items.length > 0 && (
        <fieldset>
          <legend>Variants</legend>
          {list.items.map(({ key, value }, index) => (
            <Row key={key} of={value} place={{ list, key, number: index + 1 }} wrong={wrong} />
          ))}
          <p role="status" class={wrong === '' ? 'muted' : 'trouble'}>
            {wrong === '' ? 'The weights add up to 100 %.' : wrong}
          </p>
          <Field label="Stickiness of the variants">
            <Choices
              name="variantStickiness"
              chosen={list.values[0]?.stickiness ?? 'default'}
              choices={STICKINESS}
            />
          </Field>
          <button
            type="button"
            onClick={() => {
              list.replace(equalWeights(list.values));
            }}
          >
            Equal weights
          </button>
        </fieldset>
      )}
      <button
        type="button"
        onClick={() => {
          const weight = Math.max(0, WHOLE - total);
          list.add({ name: '', weight, weightType: 'variable', stickiness: 'default' });
        }}
      >
        Add a variant
      </button>
    </>
  );
}

type RowProps = {
  readonly of: Variant;
  readonly place: { readonly list: List<Variant>; readonly key: number; readonly number: number };
  /** Why the form cannot be sent; empty if it can. */
  readonly wrong: string;
};

function Row({ of: variant, place: { list, key, number }, wrong }: RowProps) {
  return (
    <>
      <div class="pair">
        <Field label={say`Variant ${number}`}>
          <input
            {...limitsOf('variant', 'name')}
            autocomplete="off"
            defaultValue={variant.name}
            onInput={({ currentTarget }) => {
              list.change(key, { ...variant, name: currentTarget.value });
            }}
          />
        </Field>
        <Field label="Weight in percent">
          <input
            ref={(element) => element?.setCustomValidity(wrong)}
            type="number"
            min={0}
            max={100}
            step={0.1}
            required
            defaultValue={String(variant.weight / 10)}
            onInput={({ currentTarget }) => {
              list.change(key, { ...variant, weight: Math.round(Number(currentTarget.value) * 10) });
            }}
          />
        </Field>
        <button
          type="button"
          aria-label={say`Remove variant ${number}`}
          onClick={() => {
            list.remove(key);
          }}
        >
          Remove
        </button>
      </div>
      <PayloadOfVariant
        of={variant.payload}
        number={number}
        onChange={(payload) => {
          const { payload: _, ...others } = variant;
          list.change(key, payload === undefined ? others : { ...others, payload });
        }}
      />
    </>
  );
}

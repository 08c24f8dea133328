import type { Variant } from '../variants/variant-weights.ts';
import { say } from '#base/words';
import { Field } from '../../../../ui/dialogs/dialog.tsx';
import { limitsOf } from '../../../../ui/dialogs/control.ts';
import { PAYLOAD_TYPES } from '../../../../ui/dialogs/limits.ts';

type Payload = NonNullable<Variant['payload']>;
type Props = {
  readonly of: Payload | undefined;
  /** The number of the variant, for the labels. */
  readonly number: number;
  readonly onChange: (payload: Payload | undefined) => void;
};

/** What applications receive with a variant. */
export function PayloadOfVariant({ of: payload, number, onChange }: Props) {
  return (
    <div class="pair">
      <Field label={say`Payload of variant ${number}`}>
        <select
          onChange={({ currentTarget }) => {
            const type = PAYLOAD_TYPES.find((one) => one === currentTarget.value);
            onChange(type && { type, value: payload?.value ?? '' });
          }}
        >
          <option value="">none</option>
          {PAYLOAD_TYPES.map((type) => (
            <option key={type} value={type} selected={type === payload?.type}>
              {type}
            </option>
          ))}
        </select>
      </Field>
      {payload !== undefined && (
        <Field label={say`Value of the payload ${number}`}>
          <textarea
            ref={(element) => element?.setCustomValidity(problemOf(payload))}
            rows={1}
            {...limitsOf('payload', 'value')}
            defaultValue={payload.value}
            onInput={({ currentTarget }) => {
              onChange({ ...payload, value: currentTarget.value });
            }}
          />
        </Field>
      )}
    </div>
  );
}

/** Why an SDK could not read it; empty if it can. */
function problemOf({ type, value }: Payload): string {
  if (type === 'number') return value.trim() === '' || Number.isNaN(Number(value)) ? 'Enter a number.' : '';
  if (type !== 'json') return '';
  try {
    JSON.parse(value);
    return '';
  } catch {
    return 'This is not valid JSON.';
  }
}

import {
  type Constraint,
  type Operator,
  hasManyValues,
  textOfValues,
  withOperator,
  withText,
} from '../../../../state/strategies/constraint.ts';
import { OPERATOR_WORDS } from '../../../../state/strategies/strategy-words.ts';
import { say } from '#base/words';
import { Field } from '../../../../ui/dialogs/dialog.tsx';
import { limitsOf } from '../../../../ui/dialogs/control.ts';
import { Choices } from './choices.tsx';
import type { List } from './list.ts';

/** The fields that every SDK knows. Others are typed. */
const CONTEXT_FIELDS = ['userId', 'sessionId', 'appName', 'environment', 'currentTime', 'remoteAddress'];
const LIST_ID = 'context-fields';
const OPERATORS = Object.keys(OPERATOR_WORDS) as Operator[]; // the keys of a Record of them

/** The constraints of a strategy: it serves only who meets all of them. */
export function Constraints({ of: list }: { readonly of: List<Constraint> }) {
  return (
    <>
      <datalist id={LIST_ID}>
        {CONTEXT_FIELDS.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {list.items.map(({ key, value }, index) => (
        <fieldset key={key}>
          <legend>Constraint {index + 1}</legend>
          <Fields
            of={value}
            onChange={(changed) => {
              list.change(key, changed);
            }}
          />
          <button
            type="button"
            aria-label={say`Remove constraint ${index + 1}`}
            onClick={() => {
              list.remove(key);
            }}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <button
        type="button"
        onClick={() => {
          list.add({ contextName: '', operator: 'IN', values: [] });
        }}
      >
        Add a constraint
      </button>
    </>
  );
}

type Props = { readonly of: Constraint; readonly onChange: (constraint: Constraint) => void };

function Fields({ of: constraint, onChange }: Props) {
  const { contextName, operator, inverted = false, caseInsensitive = false } = constraint;
  return (
    <>
      <div class="pair">
        <Field label="Context field">
          <input
            list={LIST_ID}
            {...limitsOf('constraint', 'contextName')}
            value={contextName}
            onInput={({ currentTarget }) => {
              onChange({ ...constraint, contextName: currentTarget.value });
            }}
          />
        </Field>
        <Field label="Operator">
          <Choices
            chosen={operator}
            choices={OPERATORS}
            titles={OPERATOR_WORDS}
            onChange={(chosen) => {
              onChange(withOperator(constraint, chosen));
            }}
          />
        </Field>
      </div>
      <Value of={constraint} onChange={onChange} />
      {operator !== 'REGEX' && (
        <Check
          label="Inverted: everybody else"
          isChecked={inverted}
          onChange={(isChecked) => {
            onChange({ ...constraint, inverted: isChecked });
          }}
        />
      )}
      {operator.startsWith('STR_') && (
        <Check
          label="Ignore upper and lower case"
          isChecked={caseInsensitive}
          onChange={(isChecked) => {
            onChange({ ...constraint, caseInsensitive: isChecked });
          }}
        />
      )}
    </>
  );
}

/** The fields keep what is typed, because an unchanged constraint must stay as it is. */
function Value({ of: constraint, onChange }: Props) {
  const change = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void => {
    onChange(withText(constraint, currentTarget.value));
  };
  const text = textOfValues(constraint);
  return hasManyValues(constraint.operator) ? (
    <Field label="Values, one a line">
      <textarea required={constraint.operator.startsWith('STR_')} defaultValue={text} onInput={change} />
    </Field>
  ) : (
    <Field label="Value">
      <input {...limitsOf('constraint', 'value')} required defaultValue={text} onInput={change} />
    </Field>
  );
}

type CheckProps = {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
};

function Check({ label, isChecked, onChange }: CheckProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => {
          onChange(event.currentTarget.checked);
        }}
      />{' '}
      {label}
    </label>
  );
}

import type { Change } from '../../types.ts';
import { Field } from './dialog.tsx';
import { limitsOf } from './control.ts';
import { textOf } from './fields.ts';
import { pathTo } from '../../state/paths/path.ts';

const NAME = 'reason';

/** Why somebody makes a change. Its event shows it. */
export function Reason() {
  return (
    <Field label="Reason, for others; empty if none">
      <input {...limitsOf('change', 'comment')} name={NAME} autocomplete="off" />
    </Field>
  );
}

/** The change with the reason of its form. */
export function withReason(change: Change, fields: FormData): Change {
  const comment = textOf(fields, NAME).trim();
  if (comment === '') return change;
  return { ...change, path: pathTo`${change.path}?${new URLSearchParams({ comment })}` };
}

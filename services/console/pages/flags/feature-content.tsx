import type { Feature } from '../../types.ts';
import { Field } from '../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../ui/dialogs/control.ts';
import { textOf, textOrNull } from '../../ui/dialogs/fields.ts';

const TYPES = ['release', 'experiment', 'operational', 'kill-switch', 'permission'];

export function OwnerField({ owner }: Pick<Feature, 'owner'>) {
  return (
    <Field label="Owner: team or person">
      <input {...controlOf('feature', 'owner')} defaultValue={owner ?? ''} />
    </Field>
  );
}

type Content = Pick<Feature, 'type' | 'description' | 'owner' | 'tags'>;

/** The fields for what people write about a feature. `contentIn` reads them. */
export function ContentFields({ type, description, owner, tags }: Content) {
  return (
    <>
      <Field label="Type">
        <select name="type" defaultValue={type}>
          {[...new Set([...TYPES, type])].map((choice) => (
            <option key={choice} value={choice} selected={choice === type}>
              {choice}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Description">
        <textarea {...controlOf('feature', 'description')} defaultValue={description ?? ''} />
      </Field>
      <OwnerField owner={owner} />
      <Field label="Tags in the form type:value, one in a line">
        <textarea name="tags" rows={3} defaultValue={tags.join('\n')} />
      </Field>
    </>
  );
}

export function contentIn(fields: FormData): Content {
  const tags = textOf(fields, 'tags')
    .split('\n')
    .map((tag) => tag.trim());
  return {
    type: textOf(fields, 'type'),
    description: textOrNull(fields, 'description'),
    owner: textOrNull(fields, 'owner'),
    tags: [...new Set(tags)].filter((tag) => tag !== ''),
  };
}

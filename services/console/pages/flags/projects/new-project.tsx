import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { textOf, textOrNull } from '../../../ui/dialogs/fields.ts';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { pathTo } from '../../../state/paths/path.ts';

type Props = { readonly onClose: () => void };

/** Creates a project. */
export function NewProjectDialog({ onClose }: Props) {
  return (
    <ChangeDialog
      title="New project"
      action="Create"
      change={(fields) =>
        withReason({ method: 'POST', path: pathTo`api/admin/projects`, body: projectIn(fields) }, fields)
      }
      done="The project is created."
      onClose={onClose}
    >
      <Field label="Id, as in addresses: never changed">
        <input {...controlOf('project', 'id')} autocomplete="off" />
      </Field>
      <ProjectFields name="" description={null} />
      <Reason />
    </ChangeDialog>
  );
}

type Content = { readonly name: string; readonly description: string | null };

/** What can be changed later. */
export function ProjectFields({ name, description }: Content) {
  return (
    <>
      <Field label="Name">
        <input {...controlOf('project', 'name')} autocomplete="off" defaultValue={name} />
      </Field>
      <Field label="Description">
        <textarea {...controlOf('project', 'description')} rows={3} defaultValue={description ?? ''} />
      </Field>
    </>
  );
}

export function contentIn(fields: FormData): Content {
  return { name: textOf(fields, 'name').trim(), description: textOrNull(fields, 'description') };
}

function projectIn(fields: FormData): Content & { readonly id: string } {
  return { id: textOf(fields, 'id').trim(), ...contentIn(fields) };
}

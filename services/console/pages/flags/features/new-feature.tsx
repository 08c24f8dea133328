import { useConsole } from '../../../console.ts';
import { useProjectsWith } from '../../../api/flags/projects.ts';
import type { Change, Feature } from '../../../types.ts';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { textOf } from '../../../ui/dialogs/fields.ts';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { pathTo } from '../../../state/paths/path.ts';

const TYPES = ['release', 'experiment', 'operational', 'kill-switch', 'permission'];

type Props = { readonly onClose: () => void };

/** Creates a feature, and goes to its page. */
export function NewFeatureDialog({ onClose }: Props) {
  const { router } = useConsole();
  return (
    <ChangeDialog<Feature>
      title="New flag"
      action="Create"
      change={(fields) => withReason(creationIn(fields), fields)}
      done="The flag is created, and off in every environment."
      onClose={onClose}
      onDone={({ name }) => {
        router.go('features', name);
      }}
    >
      <Field label="Name: unique across projects, and never changed">
        <input name="name" required maxLength={100} autocomplete="off" />
      </Field>
      <Projects />
      <Field label="Type">
        <select name="type">
          {TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </Field>
      <Field label="Description">
        <textarea name="description" rows={3} maxLength={10_000} />
      </Field>
      <Field label="Owner: team or person">
        <input name="owner" maxLength={255} />
      </Field>
      <Field label="Tags in the form type:value, one in a line">
        <textarea name="tags" rows={2} />
      </Field>
      <Reason />
    </ChangeDialog>
  );
}

/** Those in which the reader may create features; the one of the filter first. */
function Projects() {
  const chosen = useConsole().router.route.value.query['project'];
  const projects = useProjectsWith('CREATE_FEATURE');
  return (
    <Loaded of={projects} lines={1}>
      {({ projects: all }) => (
        <Field label="Project">
          <select name="project" required>
            {all.map(({ id, name }) => (
              <option key={id} value={id} selected={id === chosen}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
    </Loaded>
  );
}

function creationIn(fields: FormData): Change {
  const [description, owner] = [textOf(fields, 'description').trim(), textOf(fields, 'owner').trim()];
  const tags = textOf(fields, 'tags')
    .split('\n')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    method: 'POST',
    path: pathTo`api/admin/projects/${textOf(fields, 'project')}/features`,
    body: {
      name: textOf(fields, 'name').trim(),
      type: textOf(fields, 'type'),
      tags: [...new Set(tags)],
      description: description === '' ? null : description,
      owner: owner === '' ? null : owner,
    },
  };
}

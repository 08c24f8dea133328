import { useConsole } from '../../../console.ts';
import { useProjectsWith } from '../../../api/flags/projects.ts';
import type { Change, Feature } from '../../../types.ts';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { textOf } from '../../../ui/dialogs/fields.ts';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { pathTo } from '../../../state/paths/path.ts';
import { ContentFields, contentIn } from '../feature-content.tsx';

/** Of a new feature. */
const EMPTY = { type: 'release', description: null, owner: null, tags: [] };

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
        <input {...controlOf('feature', 'name')} autocomplete="off" />
      </Field>
      <Projects />
      <ContentFields {...EMPTY} />
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
  return {
    method: 'POST',
    path: pathTo`api/admin/projects/${textOf(fields, 'project')}/features`,
    body: { name: textOf(fields, 'name').trim(), ...contentIn(fields) },
  };
}

import { useMay } from '../../../api/caller.ts';
import { featurePath } from '../../../state/paths/feature-paths.ts';
import { useProjectsWith } from '../../../api/flags/projects.ts';
import { EVERY } from '../../../state/may.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Change, Feature } from '../../../types.ts';
import { say } from '#base/words';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { textOf } from '../../../ui/dialogs/fields.ts';

/** Moves a feature to another project. Those of Unleash are moved there. */
export function Move({ feature }: { readonly feature: Feature }) {
  const may = useMay();
  const { name, project } = feature;
  if (!may('UPDATE_FEATURE', { project, environment: EVERY }) || feature.source === 'unleash') return null;
  return (
    <DialogButton label="Move">
      {(close) => (
        <ChangeDialog
          title="Move to another project"
          action="Move"
          change={(fields) => withReason(moveChange(feature, textOf(fields, 'project')), fields)}
          undo={(fields) => moveChange({ name, project: textOf(fields, 'project') }, project)}
          done={say`${name} is no longer in project ${project}.`}
          onClose={close}
        >
          <Projects except={project} />
          <p>The new project decides which changes need approvals.</p>
          <Reason />
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

function Projects({ except }: { readonly except: string }) {
  const projects = useProjectsWith('UPDATE_FEATURE', EVERY);
  return (
    <Loaded of={projects} lines={1}>
      {({ projects: all }) => (
        <Field label="Project">
          <select name="project" required>
            <option value="">Choose a project</option>
            {all
              .filter(({ id }) => id !== except)
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </select>
        </Field>
      )}
    </Loaded>
  );
}

function moveChange(feature: Pick<Feature, 'name' | 'project'>, newProjectId: string): Change {
  return { method: 'POST', path: pathTo`${featurePath(feature)}/changeProject`, body: { newProjectId } };
}

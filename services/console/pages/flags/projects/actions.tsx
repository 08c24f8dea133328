import { useMay } from '../../../api/caller.ts';
import { EVERY } from '../../../state/may.ts';
import type { Project } from '../../../types.ts';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Opened } from '../../../ui/dialogs/opened.tsx';
import { Reason, withReason } from '../../../ui/dialogs/reason.tsx';
import { Name } from '../../../ui/parts.tsx';
import { ProjectFields, contentIn } from './new-project.tsx';
import { type Path, pathTo } from '../../../state/paths/path.ts';
import { say } from '#base/words';

type Props = { readonly of: Project };

/** Edit and archive. "Undo" brings back what was. */
export function ProjectActions({ of: project }: Props) {
  const may = useMay();
  const { id, name } = project;
  const path = pathTo`api/admin/projects/${id}`;
  return (
    <>
      {may('UPDATE_PROJECT', { project: id }) && (
        <DialogButton label="Edit" hint={say`Edit ${name}`}>
          {(close) => <EditDialog path={path} onClose={close} />}
        </DialogButton>
      )}{' '}
      {may('UPDATE_PROJECT', { project: id, environment: EVERY }) && (
        <DialogButton label="Archive" hint={say`Archive ${name}`}>
          {(close) => (
            <ChangeDialog
              title="Archive this project"
              action="Archive"
              change={(fields) => withReason({ method: 'POST', path: pathTo`${path}/archive` }, fields)}
              undo={{ method: 'POST', path: pathTo`${path}/revive` }}
              done="The project is archived."
              onClose={close}
            >
              <p>
                Lists leave <Name>{name}</Name> out. A project with active flags cannot be archived.
              </p>
              <Reason />
            </ChangeDialog>
          )}
        </DialogButton>
      )}
    </>
  );
}

const TITLE = 'Edit this project';

function EditDialog({ path, onClose }: { readonly path: Path; readonly onClose: () => void }) {
  return (
    <Opened<Project> title={TITLE} path={path} onClose={onClose}>
      {(opened, etag) => {
        const { name, description } = opened;
        return (
          <ChangeDialog
            title={TITLE}
            action="Save"
            change={(fields) => withReason({ method: 'PUT', path, body: contentIn(fields) }, fields)}
            edited={{ path, opened, etag, shown: shownOf }}
            undo={{ method: 'PUT', path, body: { name, description } }}
            done="The project was changed."
            onClose={onClose}
          >
            <ProjectFields name={name} description={description} />
            <Reason />
          </ChangeDialog>
        );
      }}
    </Opened>
  );
}

/** What the form sets, by its labels. */
function shownOf({ name, description }: Project): Record<string, string> {
  return { Name: name, Description: description ?? '' };
}

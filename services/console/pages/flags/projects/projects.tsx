import { useResource } from '../../../api/requests/resource.ts';
import { useMay } from '../../../api/caller.ts';
import { formatRoute } from '../../../state/app/route.ts';
import type { Project } from '../../../types.ts';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Time } from '../../../ui/parts.tsx';
import { ProjectActions } from './actions.tsx';
import { NewProjectDialog } from './new-project.tsx';
import { pathTo } from '../../../state/paths/path.ts';
import { projectsSentence } from '../../../state/sentences/pages.ts';

/** Which projects exist. Each leads to its flags. */
export function Projects() {
  const may = useMay();
  const projects = useResource<{ readonly projects: readonly Project[] }>(pathTo`api/admin/projects`);
  return (
    <>
      <Heading page="Projects" answer={projects.data && projectsSentence(projects.data.projects.length)}>
        {may('ADMIN') && (
          <DialogButton label="New project">{(close) => <NewProjectDialog onClose={close} />}</DialogButton>
        )}
      </Heading>
      <Loaded of={projects} lines={4}>
        {({ projects: all }) =>
          all.length === 0 ? (
            <Empty>There is no project that you may see.</Empty>
          ) : (
            <Rows caption="Projects" columns={COLUMNS} items={all} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </>
  );
}

const COLUMNS: readonly Column<Project>[] = [
  {
    id: 'name',
    title: 'Name',
    width: '24%',
    show: ({ id, name }) => (
      <a data-row href={formatRoute({ parts: ['features'], query: { project: id } })}>
        <Name>{name}</Name>
      </a>
    ),
  },
  { id: 'id', title: 'Id', width: '16%', isWide: true, show: ({ id }) => <Name>{id}</Name> },
  {
    id: 'description',
    title: 'Description',
    isWide: true,
    show: ({ description }) => <Name>{description ?? ''}</Name>,
  },
  { id: 'created', title: 'Created', width: '152px', show: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: 'change',
    title: 'Change',
    width: '160px',
    isNumber: true,
    show: (project) => <ProjectActions of={project} />,
  },
];

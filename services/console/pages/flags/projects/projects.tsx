import { useResource } from '../../../api/requests/resource.ts';
import { useMay } from '../../../api/caller.ts';
import { useConsole } from '../../../console.ts';
import { hasWords, searchable, wordsOf } from '../../../state/search.ts';
import type { Project } from '../../../types.ts';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Search } from '../../../ui/lists/filters.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Time } from '../../../ui/parts.tsx';
import { ProjectActions } from './actions.tsx';
import { NewProjectDialog } from './new-project.tsx';
import { pathTo } from '../../../state/paths/path.ts';
import { projectsSentence } from '../../../state/sentences/index.ts';

/** Which projects exist. Each leads to its flags. */
export function Projects() {
  const may = useMay();
  const words = wordsOf(useConsole().router.route.value.query['q'] ?? '');
  const projects = useResource<{ readonly projects: readonly Project[] }>(pathTo`api/admin/projects`);
  return (
    <>
      <Heading page="Projects" answer={projects.data && projectsSentence(projects.data.projects.length)}>
        <Search label="Search projects" />
        <FilterState parameters={['q']} />
        {may('ADMIN') && (
          <DialogButton label="New project">{(close) => <NewProjectDialog onClose={close} />}</DialogButton>
        )}
      </Heading>
      <Loaded of={projects} lines={4}>
        {({ projects: all }) => {
          if (all.length === 0) return <Empty>There is no project that you may see.</Empty>;
          const found = all.filter((project) => hasWords(textOf(project), words));
          if (found.length === 0) return <Empty>No project matches.</Empty>;
          return <Rows caption="Projects" columns={COLUMNS} items={found} keyOf={({ id }) => id} />;
        }}
      </Loaded>
    </>
  );
}

function textOf({ id, name, description }: Project): string {
  return searchable([id, name, description]);
}

const COLUMNS: readonly Column<Project>[] = [
  {
    id: 'name',
    title: 'Name',
    width: '24%',
    show: (project) => <Flags of={project} />,
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

function Flags({ of: { id, name } }: { readonly of: Project }) {
  return (
    <a data-row href={useConsole().router.listOf('features', { project: id })}>
      <Name>{name}</Name>
    </a>
  );
}

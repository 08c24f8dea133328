import { useCaller, useMay } from '../../../api/caller.ts';
import { useProjectsWith } from '../../../api/flags/projects.ts';
import { useConsole } from '../../../console.ts';
import { EVERY } from '../../../state/may.ts';
import { list } from '#base/words';
import type { Assignment, Project } from '../../../types.ts';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Grant } from './grant.tsx';
import { useAccess } from './read-access.ts';
import { Revoke } from './revoke.tsx';
import { accessSentence } from '../../../state/sentences/index.ts';

/** Who has which role in a project. */
export function Access() {
  const wanted = useConsole().router.route.value.query['project'];
  const projects = useProjectsWith('MANAGE_ACCESS');
  const all = projects.data?.projects ?? [];
  const project = all.find(({ id }) => id === wanted) ?? all[0];
  const access = useAccess(project?.id);
  const mayChange = useMayChange(project);
  return (
    <>
      <Heading page="Access" answer={project && access.data && answerOf(project, access.data.access)}>
        {project !== undefined && <ProjectChoice projects={all} chosen={project} />}
        {project !== undefined && mayChange && <Grant key={project.id} project={project.id} />}
      </Heading>
      <Loaded of={projects} lines={6}>
        {() =>
          project === undefined ? (
            <Empty>You manage the access to no project.</Empty>
          ) : (
            <Holders project={project} mayChange={mayChange} />
          )
        }
      </Loaded>
    </>
  );
}

/** A role counts in every environment, so a manager of some of them only reads. */
function useMayChange(project: Project | undefined): boolean {
  const may = useMay();
  return project !== undefined && may('MANAGE_ACCESS', { project: project.id, environment: EVERY });
}

function answerOf({ name }: Project, access: readonly Assignment[]): string {
  return accessSentence(name, new Set(access.map(({ userId }) => userId)).size);
}

type ChoiceProps = { readonly projects: readonly Project[]; readonly chosen: Project };

function ProjectChoice({ projects, chosen }: ChoiceProps) {
  const { router } = useConsole();
  return (
    <select
      aria-label="Project"
      value={chosen.id}
      onChange={(event) => {
        router.change({ project: event.currentTarget.value });
      }}
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

type HoldersProps = { readonly project: Project; readonly mayChange: boolean };

function Holders({ project: { id }, mayChange }: HoldersProps) {
  const access = useAccess(id);
  const ownId = useCaller().data?.user.id;
  return (
    <>
      <p class="muted">Root roles hold in every project, and are not listed here.</p>
      <Loaded of={access} lines={6}>
        {({ access: found }) =>
          found.length === 0 ? (
            <Empty>Nobody has a role in this project.</Empty>
          ) : (
            <Rows
              caption="Roles of users"
              columns={[...COLUMNS, ...(mayChange ? [changeColumn(id, ownId)] : [])]}
              items={found}
              keyOf={({ userId, role, fromGroups }) => `${userId} ${String(fromGroups)} ${role}`}
            />
          )
        }
      </Loaded>
    </>
  );
}

const COLUMNS: readonly Column<Assignment>[] = [
  {
    id: 'user',
    title: 'User',
    show: ({ userName, issuer }) => (
      <>
        <Name>{userName}</Name>
        {issuer !== null && <span class="muted"> signs in by {new URL(issuer).host}</span>}
      </>
    ),
  },
  { id: 'role', title: 'Role', width: '16%', show: ({ role }) => <Name>{role}</Name> },
  {
    id: 'environments',
    title: 'Changes',
    width: '26%',
    show: ({ environments }) =>
      environments.length === 0 ? 'every environment' : <Name>{list(environments)}</Name>,
  },
  {
    id: 'origin',
    title: 'Given by',
    width: '144px',
    isWide: true,
    show: ({ fromGroups }) => (fromGroups ? 'groups' : 'people'),
  },
];

function changeColumn(project: string, ownId: number | undefined): Column<Assignment> {
  return {
    id: 'change',
    title: 'Change',
    width: '112px',
    isNumber: true,
    show: (item) =>
      item.fromGroups ? (
        <span class="muted" title="Groups of the identity provider give this role: change them there.">
          –
        </span>
      ) : (
        <Revoke project={project} of={item} isOwn={item.userId === ownId} />
      ),
  };
}

-- What users may do in projects.

create table roles (
  name varchar(100) primary key,
  description text,
  permissions text[] not null default '{}',
  is_system boolean not null default false
);

insert into roles (name, description, is_system) values
  ('Viewer', 'Reads', true),
  ('Editor', 'Changes features, and approves and applies change requests', true),
  ('Owner', 'Also manages the project, its tokens and its roles', true);

create table project_roles (
  user_id integer not null references users (id) on delete cascade,
  project varchar(255) not null references projects (id) on delete cascade,
  role varchar(100) not null references roles (name),
  environments text[] not null default '{}',
  from_groups boolean not null default false,
  primary key (user_id, project, role, from_groups)
);

create index project_roles_of_project on project_roles (project, user_id);
create index project_roles_with_role on project_roles (role);

create view user_grants as
select
  p.user_id,
  json_agg(
    json_build_object(
      'project', p.project, 'role', p.role, 'permissions', r.permissions, 'environments', p.environments
    )
    order by p.project, p.role, p.from_groups
  ) as grants
from project_roles as p
join roles as r on r.name = p.role
group by p.user_id;

comment on table roles is 'Sets of permissions in a project';
comment on column roles.permissions is 'Names of permissions; empty for the roles that always exist, whose permissions the code has';
comment on column roles.is_system is 'Whether the role always exists';
comment on table project_roles is 'Which user has which role in which project';
comment on column project_roles.environments is 'Environments whose configuration the user may change; empty for every one';
comment on column project_roles.from_groups is 'Whether groups of the identity provider gave it at the last sign-in; otherwise somebody did';
comment on view user_grants is 'The roles of each user as JSON, for the verification of tokens';

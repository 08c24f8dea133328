-- Where the code of repositories names features, as flagmeter scan found it.

create table code_repositories (
  id integer generated always as identity primary key,
  name varchar(255) not null,
  branch varchar(255) not null,
  commit varchar(64) not null,
  committed_at timestamptz not null,
  link_template varchar(1000),
  pushed_at timestamptz not null default now(),
  pushed_by varchar(255) not null,
  left_out integer not null,
  revision uuid not null default gen_random_uuid(),
  unique (name, branch)
);

create trigger code_repositories_renewed before update on code_repositories
  for each row execute function renew_revision();

create table code_references (
  repository_id integer not null references code_repositories on delete cascade,
  feature_name varchar(255) not null,
  path varchar(1000) not null,
  line integer not null check (line > 0),
  kind text not null check (kind in ('call', 'mention'))
);

-- Paths are too long for a unique index, so the push leaves out repetitions.
create index code_references_of_repository on code_references (repository_id);
create index code_references_of_feature on code_references (feature_name);

comment on table code_repositories is 'The branches of repositories whose code was scanned';
comment on column code_repositories.commit is 'The scanned commit';
comment on column code_repositories.committed_at is 'When it was committed; a push of an earlier commit is rejected';
comment on column code_repositories.link_template is 'Address of a line, with {commit}, {path} and {line}; null if there is none';
comment on column code_repositories.pushed_by is 'Name of the token or user that pushed last';
comment on column code_repositories.left_out is 'Places that were found and not pushed, because there were too many';
comment on table code_references is 'Lines that name a feature; a push replaces all of its branch';
comment on column code_references.feature_name is 'A feature, or a name that no feature has';
comment on column code_references.kind is 'call: an argument of an SDK; mention: anything else';

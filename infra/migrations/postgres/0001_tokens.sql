-- API tokens. Only the hash of a secret is stored; the secret is shown once, to whoever creates it.

create table api_tokens (
  id uuid primary key,
  secret_hash text not null unique,
  token_name text not null,
  type text not null check (type in ('admin', 'client', 'frontend')),
  environment varchar(100) not null,
  projects text[] not null default '{}',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  seen_at timestamptz
);

comment on table api_tokens is 'Credentials of relays, SDKs and administrators';
comment on column api_tokens.secret_hash is 'SHA-256 of the secret, hexadecimal';
comment on column api_tokens.environment is '* is every environment';
comment on column api_tokens.projects is 'Empty is every project';
comment on column api_tokens.revoked_at is 'A revoked token stays, so that an initial one is not created again';

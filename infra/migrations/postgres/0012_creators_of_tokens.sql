-- Who made API tokens. Initial tokens have no creator.

alter table api_tokens
  add column created_by integer references users (id),
  add column created_by_token uuid;

create index api_tokens_of_creator on api_tokens (created_by);
create index api_tokens_of_token on api_tokens (created_by_token);

comment on column api_tokens.created_by is 'The user who made it; null for initial tokens';
comment on column api_tokens.created_by_token is 'The ADMIN token that made it, where created_by is -42';

-- How many requests a token may send.

alter table api_tokens
  add column rate_limit integer check (rate_limit >= 0);

comment on column api_tokens.rate_limit is
  'Requests that it may send in a minute, 0 for any number; null is what RATE_LIMIT_PER_MINUTE says';

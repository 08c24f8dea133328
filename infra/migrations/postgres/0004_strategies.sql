-- Strategy types. The built-in ones are those of Unleash.

create table strategies (
  name varchar(255) primary key,
  created_at timestamptz not null default now(),
  display_name text,
  title text,
  description text,
  parameters jsonb not null default '[]',
  built_in boolean not null default false,
  deprecated boolean not null default false,
  sort_order integer not null default 9999,
  source text not null default 'flagmeter' check (source in ('flagmeter', 'unleash')),
  vanished_at timestamptz
);

insert into strategies (name, display_name, description, parameters, built_in, sort_order) values
  (
    'flexibleRollout',
    'Gradual rollout',
    'Serves a share of the users; the same user always gets the same answer.',
    '[
      {"name": "rollout", "type": "percentage", "description": "Share of users that get the feature.", "required": false},
      {"name": "stickiness", "type": "string", "description": "What keeps the answer stable: default, userId, sessionId or random.", "required": true},
      {"name": "groupId", "type": "string", "description": "Features with the same group serve the same users.", "required": true}
    ]',
    true,
    0
  ),
  ('default', 'Standard', 'On or off for everybody; a gradual rollout does the same and more.', '[]', true, 1),
  (
    'remoteAddress',
    'IPs',
    'On for requests from the given IP addresses.',
    '[{"name": "IPs", "type": "list", "description": "IP addresses that get the feature.", "required": true}]',
    true,
    3
  ),
  (
    'applicationHostname',
    'Hosts',
    'On for clients that run on the given hosts.',
    '[{"name": "hostNames", "type": "list", "description": "Host names that get the feature.", "required": false}]',
    true,
    4
  );

comment on table strategies is 'Strategy types, built-in and custom';
comment on column strategies.source is 'Who owns it: what Unleash owns is changed there, and copied from there';
comment on column strategies.vanished_at is 'When Unleash ceased to list it; null while it does';

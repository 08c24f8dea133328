-- The audit: who did what, from where, and with which outcome. Rows are only added, and each row holds the hash of the previous one.

-- Every reader can rely on this, whoever has added an entry: the view, verify, and the lines of the log. The bounds are far above what
-- flagmeter writes, and let each reader hold a page of entries in memory.
create function is_audit_content(content json) returns boolean language sql immutable set search_path = pg_catalog as $$
  select
    octet_length(content::text) <= 16777216
    and json_typeof(content) = 'object'
    -- A text that holds NUL can be stored as json, and not be read. The lines of the log have all but the values.
    and octet_length((content::jsonb - 'before' - 'after')::text) <= 65536
    and json_typeof(content -> 'operation') = 'string'
    and json_typeof(content -> 'outcome') = 'string'
    and not exists (
      select
      from json_each(content) as member
      where not case
        when key in ('operation', 'outcome') then json_typeof(value) = 'string'
        when key in ('event', 'reason', 'user', 'credential', 'address', 'project', 'environment', 'featureName')
          then json_typeof(value) in ('string', 'null')
        when key in ('parameters', 'before', 'after') then json_typeof(value) in ('object', 'null')
        when key = 'isStranger' then value::text = 'true'
        when key = 'status' then value::text ~ '^([0-9]{3}|null)$'
        when key = 'userId' then value::text ~ '^(-?[0-9]{1,9}|null)$'
        when key = 'credentialId' then value::text ~ '^("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"|null)$'
        -- In the log, another member could pass for the number of the entry, or for its time.
        else false
      end
    )
$$;

-- Whether somebody unknown tried it. An entry about something that was done always names who did it.
create function is_of_stranger(content json) returns boolean language sql immutable set search_path = pg_catalog as $$
  select content ->> 'isStranger' = 'true' and content ->> 'outcome' in ('refused', 'failed')
$$;

create table audit_entries (
  sequence bigint primary key,
  at timestamptz not null,
  content json not null check (is_audit_content(content) is true),
  previous_hash text not null,
  hash text not null,
  size_bytes integer not null generated always as (octet_length(content::text)) stored
);

create index audit_entries_by_time on audit_entries (at);
create index audit_entries_of_strangers on audit_entries (at) where is_of_stranger(content);

-- The text below is the definition of the hash. services/admin/record/audit/store/chain.ts computes it a second time, to verify.
create function audit_hash(entry audit_entries) returns text language sql immutable set search_path = pg_catalog as $$
  select encode(
    sha256(
      convert_to(
        concat_ws(
          e'\n',
          entry.sequence,
          to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
          entry.previous_hash,
          entry.content
        ),
        'UTF8'
      )
    ),
    'hex'
  )
$$;

-- flagmeter migrate writes AUDIT_RETENTION_DAYS here, so that the role of the services cannot choose how much is deleted. Whoever adds entries
-- locks the row.
create table audit_settings (
  retention_days integer not null
);

insert into audit_settings (retention_days) values (0);

-- Writers follow one another from here to the end of their transactions, so each inserts its entries last. They lock the row with the rights
-- of the owner: anybody who may connect could hold an advisory lock, and stop every change. Whatever a writer sends as sequence, time and
-- hashes is replaced. The path of a writer and the writer's temporary tables choose nothing here.
create function chain_audit_entry() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
declare
  last record;
begin
  perform from public.audit_settings for update;
  select sequence, hash into last from public.audit_entries order by sequence desc limit 1;
  new.sequence := coalesce(last.sequence, 0) + 1;
  new.at := clock_timestamp();
  new.previous_hash := coalesce(last.hash, repeat('0', 64));
  new.hash := public.audit_hash(new);
  return new;
end $$;

create trigger audit_entries_chained before insert on audit_entries
  for each row execute function chain_audit_entry();

-- Deletes the oldest entries with the rights of the owner, at most 10,000 at once, about once a day. An entry at the end of the chain
-- names the last one that was deleted, so that the beginning of the rest can be verified. Returns how many were deleted. `asked_at` is the
-- time of another clock: if one of the two is ahead, nothing is deleted early.
create function prune_audit(asked_at timestamptz default now()) returns integer language plpgsql security definer set search_path = pg_catalog as $$
declare
  kept_since timestamptz;
  pruned record;
begin
  select least(now(), asked_at) - retention_days * interval '1 day' into kept_since from public.audit_settings where retention_days > 0;
  if not exists (select from public.audit_entries where at < kept_since - interval '1 day') then
    return 0;
  end if;
  perform from public.audit_settings for update;
  -- Of a beginning without gaps, also if the clock went back.
  select max(sequence) as sequence, count(*) as entries into pruned
  from (
    select sequence, bool_and(at < kept_since) over (order by sequence) as is_old
    from (select sequence, at from public.audit_entries order by sequence limit 10000) as oldest
  ) as judged
  where is_old;
  if pruned.entries = 0 then
    return 0;
  end if;
  insert into public.audit_entries (content)
  select json_build_object(
    'operation', 'pruneAudit',
    'outcome', 'done',
    'userId', -1337,
    'user', 'system',
    'after', json_build_object('sequence', sequence, 'hash', hash, 'entries', pruned.entries)
  )
  from public.audit_entries
  where sequence = pruned.sequence;
  delete from public.audit_entries where sequence <= pruned.sequence;
  return pruned.entries;
end $$;

-- Deletes entries of strangers that are older than a week, with the rights of the owner, at most 1,000 at once, about once a day. Anybody can
-- add such entries. An entry at the end of the chain names each run of those that were deleted, with the hash before it and its last hash,
-- so that the rest can be verified. Returns how many were deleted.
create function prune_strangers(asked_at timestamptz default now()) returns integer language plpgsql security definer set search_path = pg_catalog as $$
declare
  kept_since constant timestamptz := least(now(), asked_at) - interval '7 days';
  pruned record;
begin
  if not exists (
    select from public.audit_entries where public.is_of_stranger(content) and at < kept_since - interval '1 day'
  ) then
    return 0;
  end if;
  perform from public.audit_settings for update;
  with old as (
    select sequence, previous_hash, hash, sequence - row_number() over (order by sequence) as run
    from public.audit_entries
    where public.is_of_stranger(content) and at < kept_since
    order by sequence
    limit 1000
  ),
  runs as (
    select
      min(sequence) as first,
      max(sequence) as through,
      (array_agg(previous_hash order by sequence))[1] as previous_hash,
      (array_agg(hash order by sequence desc))[1] as hash
    from old
    group by run
  )
  select
    (select array_agg(sequence) from old) as sequences,
    (
      select json_agg(
        json_build_object('first', first, 'previousHash', previous_hash, 'through', through, 'hash', hash) order by first
      )
      from runs
    ) as runs
  into pruned;
  insert into public.audit_entries (content)
  values (
    json_build_object(
      'operation', 'pruneStrangers',
      'outcome', 'done',
      'userId', -1337,
      'user', 'system',
      'after', json_build_object('entries', cardinality(pruned.sequences), 'runs', pruned.runs)
    )
  );
  delete from public.audit_entries where sequence = any (pruned.sequences);
  return cardinality(pruned.sequences);
end $$;

-- What the admin service has written to its log.
create table audit_log_position (
  sequence bigint not null
);

insert into audit_log_position (sequence) values (0);

-- With the rights of its reader: it changes nothing that the reader may not change.
create view audit with (security_invoker = true) as
select
  sequence,
  at,
  content ->> 'operation' as operation,
  content ->> 'outcome' as outcome,
  content ->> 'event' as event,
  case when content ->> 'status' ~ '^[0-9]{3}$' then (content ->> 'status')::integer end as status,
  content ->> 'reason' as reason,
  content ->> 'user' as user_name,
  case when content ->> 'userId' ~ '^-?[0-9]{1,9}$' then (content ->> 'userId')::integer end as user_id,
  content ->> 'credential' as credential,
  case
    when content ->> 'credentialId' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (content ->> 'credentialId')::uuid
  end as credential_id,
  content ->> 'address' as address,
  content ->> 'project' as project,
  content ->> 'environment' as environment,
  content ->> 'featureName' as feature_name,
  content -> 'parameters' as parameters,
  content -> 'before' as before,
  content -> 'after' as after,
  hash,
  is_of_stranger(content) is true as is_of_stranger
from audit_entries;

comment on table audit_entries is 'Who did what, oldest first; rows are only added';
comment on column audit_entries.sequence is 'Without gaps, but for entries of strangers, which later entries name';
comment on column audit_entries.content is 'The entry, as it was written; the view audit has its members as columns';
comment on column audit_entries.previous_hash is 'Hash of the entry before; zeros for the first one';
comment on column audit_entries.hash is 'SHA-256 of sequence, time, previous_hash and content, hexadecimal';
comment on column audit_entries.size_bytes is 'Length of content; long lists are read in pages of so many bytes';
comment on table audit_settings is 'Set by flagmeter migrate; one row';
comment on column audit_settings.retention_days is 'Older entries are deleted; 0 keeps all';
comment on table audit_log_position is 'The last entry of the audit that is in the log; one row';
comment on view audit is 'Who did what, for analysts';

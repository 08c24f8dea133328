-- How many events there are, without counting them: each statement that writes or deletes events adds a row, in the same
-- transaction and without waiting for anybody. The admin service adds the rows up now and then.

create table event_counts (
  id bigint generated always as identity primary key,
  count bigint not null
);

create function count_new_events() returns trigger language plpgsql as $$
begin
  insert into event_counts (count) select count(*) from changed having count(*) > 0;
  return null;
end $$;

create function count_gone_events() returns trigger language plpgsql as $$
begin
  insert into event_counts (count) select -count(*) from changed having count(*) > 0;
  return null;
end $$;

create function count_no_events() returns trigger language plpgsql as $$
begin
  insert into event_counts (count) select -sum(count) from event_counts having count(*) > 0;
  return null;
end $$;

create trigger events_counted after insert on events
  referencing new table as changed for each statement execute function count_new_events();
create trigger events_uncounted after delete on events
  referencing old table as changed for each statement execute function count_gone_events();
create trigger events_truncated after truncate on events
  for each statement execute function count_no_events();

insert into event_counts (count) select count(*) from events;

comment on table event_counts is 'Sum of count is the number of events';

-- Lists of features are read in pages, by name.
drop index features_of_project;
create index features_active on features (project, name) where archived_at is null;
create index features_archived on features (project, name) where archived_at is not null;

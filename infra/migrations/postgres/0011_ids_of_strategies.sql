-- Every strategy of a feature has an id, so that it can be addressed, regardless of who writes it. An id made here depends only on the place and
-- the content, so that a copy keeps it when it is written again.
create function identify_strategies() returns trigger language plpgsql as $$
begin
  select jsonb_agg(
    case
      when one.strategy ->> 'id' is not null or jsonb_typeof(one.strategy) <> 'object' then one.strategy
      else one.strategy || jsonb_build_object(
        'id', md5(concat_ws('/', new.feature_name, new.environment, one.place, one.strategy))::uuid
      )
    end
    order by one.place
  )
  into new.strategies
  from jsonb_array_elements(new.strategies) with ordinality as one (strategy, place);
  return new;
end $$;

create trigger feature_environments_identified before insert or update on feature_environments
  for each row when (jsonb_path_exists(new.strategies, '$[*] ? (@.type() == "object" && (!exists(@.id) || @.id == null))'))
  execute function identify_strategies();

update feature_environments
set strategies = strategies
where jsonb_path_exists(strategies, '$[*] ? (@.type() == "object" && (!exists(@.id) || @.id == null))');

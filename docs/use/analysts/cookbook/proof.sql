-- Cookbook: refusals and proof
-- What was not counted, and whether the numbers agree.

-- Where do refused metrics come from?
-- Beware: `day` is the day of receipt. The sender chooses the names, so show them as text, never as HTML.
select
    r.reason,
    r.token_id,
    r.app_name,
    r.feature_name,
    sum(r.count) as refused,
    max(r.sample) != '' as has_sample
from refusals as r
where r.day >= today() - 7
  and r.day < today()
group by r.reason, r.token_id, r.app_name, r.feature_name
order by refused desc, r.reason;

-- Which share of what was received was refused, and why?
-- Beware: `accounting` covers 120 days. For a period use `refusals` or `flagmeter reconcile --since`.
select
    reason,
    sum(metrics) as refused,
    round(100 * refused / (select sum(received) from accounting), 2) as percent_of_received
from accounting
array join mapKeys(refused_by_reason) as reason, mapValues(refused_by_reason) as metrics
group by reason
order by refused desc;

-- Is everything that was received accounted for?
-- Beware: This covers stored blocks only. `flagmeter reconcile` also shows the messages that wait in Kafka.
select
    sum(received) as received,
    sum(counted) as counted,
    sum(refused) as refused,
    sum(duplicate) as duplicate,
    sum(dead) as dead,
    received = counted + refused + duplicate + dead as adds_up,
    min(is_balanced) as is_balanced
from accounting;

-- Does the usage agree with what relays delivered?
-- Beware: This holds for the first 120 days of an installation, because older blocks are deleted.
select
    (select sum(counted) from accounting) as counted,
    (select sum(reports) from app_totals_by_day) as reports,
    counted = reports as agree;

-- How long is everything kept?
-- Beware: ClickHouse deletes rows when it merges parts, so some stay a few hours longer.
select distinct arrayJoin(read_as) as view, kept
from retention
where view not like '%verdicts%' and table_name != 'topic_epochs'
order by view, kept;

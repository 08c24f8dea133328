-- An example: analysts who may read only the daily usage of the features of one project. Other users still see every
-- row (the server's default, users_without_row_policies_can_read_rows).

create role if not exists analyst_of_payments settings profile 'analyst';

grant select on flagmeter.usage_by_day to analyst_of_payments;
grant select on flagmeter.features to analyst_of_payments;

create row policy if not exists features_of_payments on flagmeter.features for select
    using project = 'payments' to analyst_of_payments;

create row policy if not exists usage_of_payments on flagmeter.usage_by_day for select
    using feature_name in (select feature_name from flagmeter.features where project = 'payments')
    to analyst_of_payments;

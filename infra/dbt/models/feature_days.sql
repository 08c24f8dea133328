select day, environment, feature_name, yes as enabled, no as disabled, unknown
from {{ source('flagmeter', 'totals_by_day') }}
where is_complete

import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, nullableTime, text, time } from '#base/schema';

export const MAX_FEATURES = 200;

export const seriesQuery = {
  type: 'object',
  properties: {
    feature: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_FEATURES,
      uniqueItems: true,
      items: { type: 'string', maxLength: 255 },
      description:
        'Features, each with its own series: feature=a&feature=b. If absent, all features added up.',
    },
    from: {
      type: 'string',
      format: 'date-time',
      description: 'Start of the window, rounded down to a bucket; by default 30 buckets before its end.',
    },
    to: {
      type: 'string',
      format: 'date-time',
      description: 'End of the window, rounded up to a bucket; by default, and at the latest, now.',
    },
    interval: {
      type: 'string',
      enum: ['minute', 'hour', 'day', 'week', 'month'],
      default: 'day',
      description:
        'Length of a bucket. Weeks begin on Monday. Evaluations count in the minute in which their report arrived, and in the hour, day, week or month in which they happened. Minutes are known of about the last 48 hours (RETENTION_MINUTELY_HOURS).',
    },
    timezone: {
      type: 'string',
      maxLength: 64,
      format: 'time-zone',
      default: 'UTC',
      description: 'Days, weeks and months begin at midnight of this time zone, for example Europe/Berlin.',
    },
    groupBy: {
      type: 'string',
      enum: ['application', 'environment', 'variant'],
      description: 'Divides the counts of each feature into one series for each group.',
    },
    groups: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
      description:
        'With groupBy: the number of groups with most evaluations. All others become one more series.',
    },
    environment: { type: 'string', maxLength: 100, description: 'Counts only this environment.' },
    application: { type: 'string', maxLength: 255, description: 'Counts only this application.' },
    previous: {
      type: 'boolean',
      default: false,
      description: 'Adds the totals of as many buckets directly before the window.',
    },
  },
} as const;

const SERVED = 'With groupBy=variant instead of yes, no and unknown: evaluations that got the variant';

const totalsSchema = {
  title: 'UsageTotals',
  type: 'object',
  properties: {
    yes: count('Evaluations that were enabled.'),
    no: count('Evaluations that were disabled.'),
    unknown: count('Evaluations whose result the sender did not report: neither yes nor no.'),
    served: count(`${SERVED}.`),
  },
} as const;

const countsPerBucket = (description: string) =>
  ({
    type: 'array',
    items: { type: ['integer', 'null'], minimum: 0 },
    description: `${description}; for each start. null means unknown, 0 means none.`,
  }) as const;

export const usageSeriesSchema = {
  title: 'UsageSeries',
  type: 'object',
  ...members({
    interval: seriesQuery.properties.interval,
    timezone: text('Time zone of the buckets. It is UTC if hours are not stored for the whole window.', 64),
    from: time('Start of the first bucket.'),
    to: time('End of the last bucket.'),
    starts: { type: 'array', items: time('Start of a bucket.') },
    knownFrom: nullableTime(
      'Counts before this time are deleted or were never sent; null if there are none.',
    ),
    completeUntil: time('Buckets that end later still grow.'),
    isLastComplete: { type: 'boolean', description: 'Whether the last bucket is complete.' },
    series: {
      type: 'array',
      description: 'In the order of the features. Groups with most evaluations come first.',
      items: {
        title: 'FeatureSeries',
        type: 'object',
        ...members(
          {
            feature: nullableText('The feature; null for all features together.'),
            group: nullableText('The group; null for the other groups together, and without groupBy.'),
            total: totalsSchema,
            previous: {
              title: 'PreviousTotals',
              type: ['object', 'null'],
              description: 'Totals of the previous window; null if not requested, or not known completely.',
              properties: totalsSchema.properties,
            },
            yes: countsPerBucket('Evaluations that were enabled'),
            no: countsPerBucket('Evaluations that were disabled'),
            unknown: countsPerBucket('Evaluations whose result the sender did not report'),
            served: countsPerBucket(SERVED),
          },
          ['yes', 'no', 'unknown', 'served'],
        ),
      },
    },
  }),
} as const;

export type SeriesQuery = FromSchema<typeof seriesQuery>;
export type UsageSeries = FromSchema<typeof usageSeriesSchema>;
export type Interval = SeriesQuery['interval'];
export type Grouping = NonNullable<SeriesQuery['groupBy']>;

import type { FromSchema } from 'json-schema-to-ts';
import { count, members, time } from '#base/schema';

const minuteSchema = {
  title: 'StoredMinute',
  type: 'object',
  ...members({
    start: time('Start of the minute.'),
    received: count('Metrics received.'),
    counted: count('Metrics counted.'),
    refused: count('Metrics refused.'),
    duplicate: count('Metrics of repeated batches.'),
    dead: count('Messages that could not be decoded.'),
    yes: count('Enabled evaluations in the counted metrics.'),
    no: count('Disabled evaluations in the counted metrics.'),
    unknown: count('Evaluations in the counted metrics whose result the sender did not report.'),
  }),
} as const;

export const throughputSchema = {
  title: 'Throughput',
  type: 'object',
  ...members({
    at: time('When it was read. The last minute still grows.'),
    minutes: { type: 'array', description: 'The minutes, the oldest first.', items: minuteSchema },
  }),
} as const;

export type Throughput = FromSchema<typeof throughputSchema>;

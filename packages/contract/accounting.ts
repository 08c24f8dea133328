import type { FromSchema } from 'json-schema-to-ts';
import { count, nullableTime, text, time } from './schema.ts';

const NUMBERS = {
  received: count('Metrics received; a message that could not be decoded counts as one.'),
  counted: count('Metrics counted.'),
  refused: count('Metrics refused.'),
  refusedByReason: {
    type: 'object',
    description: 'Metrics refused for each reason.',
    additionalProperties: count('Metrics refused for it.'),
  },
  duplicate: count('Metrics of repeated batches.'),
  dead: count('Messages that could not be decoded.'),
  inFlight: count('Messages that are in the log and not yet counted.'),
  gaps: count('Blocks that begin behind the end of the one before.'),
  overlaps: count('Blocks that begin before the end of the one before.'),
} as const;

const NUMBER_NAMES = [
  'received',
  'counted',
  'refused',
  'refusedByReason',
  'duplicate',
  'dead',
  'inFlight',
  'gaps',
  'overlaps',
] as const;

const DEAD_LETTERS = {
  dead: count('Messages that could not be decoded.'),
  open: count('Those that wait for an operator.'),
  replayed: count('Those that were replayed.'),
  dropped: count('Those that were given up.'),
  received: count('Metrics received in replayed ones.'),
  counted: count('Metrics counted of them.'),
  refused: count('Metrics refused of them.'),
  duplicate: count('Metrics of them that had been counted already.'),
} as const;

const sums = {
  type: 'array',
  items: { type: 'string', pattern: '^\\d+$' },
  description: 'Sums of yes and no, or of variants; text, for they may be greater than 2^53.',
} as const;

/** What was received and what became of it. */
export const accountingSchema = {
  title: 'Accounting',
  type: 'object',
  required: ['at', 'isBalanced', 'since', 'total', 'partitions', 'days', 'deadLetters', 'differences'],
  properties: {
    at: time('When they were read.'),
    isBalanced: { type: 'boolean', description: 'Whether everything agrees: there are no differences.' },
    since: nullableTime('Of blocks stored since, and of days that began since; null is everything stored.'),
    total: { title: 'AccountingTotal', type: 'object', required: NUMBER_NAMES, properties: NUMBERS },
    partitions: {
      type: 'array',
      items: {
        title: 'PartitionAccounting',
        type: 'object',
        required: ['topic', 'epoch', 'partition', 'blocks', 'from', 'to', ...NUMBER_NAMES, 'isBalanced'],
        properties: {
          topic: { type: 'string' },
          epoch: count('Grows when the topic is created anew.'),
          partition: { type: 'integer', minimum: 0 },
          blocks: count('Stored blocks.'),
          from: count('First offset of the first block.'),
          to: count('Offset after the last of the last block.'),
          ...NUMBERS,
          isBalanced: { type: 'boolean', description: 'Whether there is no difference in it.' },
        },
      },
    },
    days: {
      type: 'array',
      description:
        'Each day (UTC) of the evaluations and each usage table, as far back as both sides keep them.',
      items: {
        title: 'DayAccounting',
        type: 'object',
        required: ['day', 'table', 'expected', 'stored', 'isBalanced'],
        properties: {
          day: { type: 'string', format: 'date' },
          table: { type: 'string' },
          expected: { ...sums, description: `What the blocks say. ${sums.description}` },
          stored: { ...sums, description: `What the table says. ${sums.description}` },
          isBalanced: { type: 'boolean', description: 'Whether both say the same.' },
        },
      },
    },
    deadLetters: {
      title: 'DeadLetterAccounting',
      type: 'object',
      description: 'What became of all dead letters, and of the metrics of those that were replayed.',
      required: Object.keys(DEAD_LETTERS) as (keyof typeof DEAD_LETTERS)[],
      properties: DEAD_LETTERS,
    },
    differences: {
      type: 'array',
      items: {
        title: 'AccountingDifference',
        type: 'object',
        required: ['place', 'text'],
        properties: {
          place: text('The partition, or the day and its table.'),
          text: text('What does not add up there.'),
        },
      },
    },
  },
} as const;

export type AccountingDocument = FromSchema<typeof accountingSchema>;

import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableTime, text, time } from '#base/schema';

const NUMBERS = {
  received: count('Metrics received; a message that could not be decoded counts as one.'),
  counted: count('Metrics counted.'),
  refused: count('Metrics refused.'),
  refusedByReason: {
    type: 'object',
    description: 'Refused metrics by reason.',
    additionalProperties: count('Metrics refused with this reason.'),
  },
  duplicate: count('Metrics of repeated batches.'),
  dead: count('Messages that could not be decoded.'),
  samples: {
    title: 'SampleAccounting',
    type: 'object',
    description: 'Samples of impact metrics.',
    ...members({
      received: count('Samples received.'),
      counted: count('Samples counted.'),
      refused: count('Samples refused.'),
      duplicate: count('Samples of repeated batches.'),
    }),
  },
  inFlight: count('Messages in the log that are not counted yet.'),
  gaps: count(
    'Blocks that begin after the end of the previous block, or the first one after the start of the topic.',
  ),
  overlaps: count('Blocks that begin before the end of the previous block.'),
} as const;

const NUMBER_NAMES = [
  'received',
  'counted',
  'refused',
  'refusedByReason',
  'duplicate',
  'dead',
  'samples',
  'inFlight',
  'gaps',
  'overlaps',
] as const;

const DEAD_LETTERS = {
  dead: count('Messages that could not be decoded.'),
  open: count('Dead letters that wait for an operator.'),
  replayed: count('Replayed dead letters.'),
  dropped: count('Discarded dead letters.'),
  received: count('Metrics received in replayed dead letters.'),
  counted: count('Counted metrics among them.'),
  refused: count('Refused metrics among them.'),
  duplicate: count('Metrics among them that had already been counted.'),
} as const;

const IMPORTED = {
  received: count('Imported rows of Unleash.'),
  counted: count('Counted rows among them.'),
  refused: count('Refused rows among them.'),
  refusedByReason: {
    type: 'object',
    description: 'Refused rows by reason.',
    additionalProperties: count('Rows refused with this reason.'),
  },
} as const;

const sums = {
  type: 'array',
  items: { type: 'string', pattern: '^\\d+$' },
  description:
    'Sums of yes, no, unknown and counted metrics, or of variants, or of refusals, or of values (in billionths, modulo 2^64), observations and samples of impact metrics. They are text, because they may exceed 2^53.',
} as const;

/** The received evaluations, and how many of them were counted, refused, duplicates or dead. */
export const accountingSchema = {
  title: 'Accounting',
  type: 'object',
  ...members({
    at: time('When they were read.'),
    isBalanced: { type: 'boolean', description: 'Whether all numbers agree, without any difference.' },
    since: nullableTime(
      'Only blocks stored since this time, and days that began since; null for everything stored.',
    ),
    total: { title: 'AccountingTotal', type: 'object', required: NUMBER_NAMES, properties: NUMBERS },
    partitions: {
      type: 'array',
      items: {
        title: 'PartitionAccounting',
        type: 'object',
        required: ['topic', 'epoch', 'partition', 'blocks', 'from', 'to', ...NUMBER_NAMES, 'isBalanced'],
        properties: {
          topic: { type: 'string' },
          epoch: count('Increases whenever the topic is recreated.'),
          partition: { type: 'integer', minimum: 0 },
          blocks: count('Stored blocks.'),
          from: count('First offset of the first block.'),
          to: count('Offset after the end of the last block.'),
          ...NUMBERS,
          isBalanced: { type: 'boolean', description: 'Whether this part has no difference.' },
        },
      },
    },
    days: {
      type: 'array',
      description: 'Each day (UTC) and each table, for as long as both sides keep the data.',
      items: {
        title: 'DayAccounting',
        type: 'object',
        ...members({
          day: { type: 'string', format: 'date' },
          table: { type: 'string' },
          expected: { ...sums, description: `What the blocks say. ${sums.description}` },
          stored: { ...sums, description: `What the table says. ${sums.description}` },
          beingStored: {
            ...sums,
            description: `The part of both that is being stored: only one of them has it yet. ${sums.description}`,
          },
          isBalanced: {
            type: 'boolean',
            description: 'Whether all numbers agree, apart from what is being stored.',
          },
        }),
      },
    },
    deadLetters: {
      title: 'DeadLetterAccounting',
      type: 'object',
      description: 'Dead letters by state, and the metrics of replayed ones.',
      required: Object.keys(DEAD_LETTERS) as (keyof typeof DEAD_LETTERS)[],
      properties: DEAD_LETTERS,
    },
    imported: {
      title: 'ImportedAccounting',
      type: 'object',
      description: "Imports of Unleash's history, which are not part of the total.",
      required: ['received', 'counted', 'refused', 'refusedByReason'],
      properties: IMPORTED,
    },
    sample: {
      title: 'StoredSample',
      type: ['object', 'null'],
      description:
        'The sample shop, which was stored directly and not received. Of these numbers only the days contain it. null if there is none.',
      ...members({ madeAt: time('When it was made.') }),
    },
    differences: {
      type: 'array',
      items: {
        title: 'AccountingDifference',
        type: 'object',
        ...members({
          subject: text('The partition, or the day and its table.'),
          text: text('Description of the difference.'),
        }),
      },
    },
  }),
} as const;

export type AccountingDocument = FromSchema<typeof accountingSchema>;

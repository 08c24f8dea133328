import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, nullableTime, text, time } from '#base/schema';
import { MOVABLE_STAGES, STAGES } from './rules.ts';

const url = {
  ...nullableText('Where it is being removed, for example a pull request.', 2000),
  pattern: '^https?://',
} as const;

const nullableId = (description: string) => ({ type: ['integer', 'null'], description }) as const;

export const cleanUpSchema = {
  title: 'CleanUp',
  type: 'object',
  ...members({
    featureName: text('The flag.'),
    project: text('Its project.'),
    owner: nullableText('Its owner.'),
    stage: {
      type: 'string',
      enum: STAGES,
      description:
        'found: a verdict says that it can go; told: somebody knows; removal: somebody removes it; gone: it is not evaluated any more; archived.',
    },
    since: time('When it came to this stage.'),
    movedBy: nullableText('Who has moved it there; null if flagmeter has.'),
    told: {
      title: 'CleanUpTold',
      type: ['object', 'null'],
      description: 'Who was told first, or has acknowledged it; null if nobody.',
      ...members({ to: text('The subscription or the person.'), at: time('When.') }),
    },
    url,
    changeRequestId: nullableId('The change request that archives it.'),
    lastSeenAt: nullableTime('Start of the last hour with evaluations, in any environment; null if never.'),
    codeReferences: {
      ...nullableId('Places of the scanned code that have its name; null if no code was scanned.'),
      minimum: 0,
    },
    verdicts: {
      type: 'array',
      description: 'The verdicts that say so now.',
      items: {
        title: 'CleanUpVerdict',
        type: 'object',
        ...members({
          verdict: text('The verdict.'),
          environment: text('Its environment.'),
          sentence: text('Explanation in one sentence, as of the time when it appeared.', 100_000),
        }),
      },
    },
  }),
} as const;

export const cleanUpsSchema = {
  title: 'CleanUps',
  type: 'object',
  ...members({
    totals: {
      type: 'array',
      description: 'The number of flags in each stage that has any, also beyond the limit.',
      items: {
        title: 'StageTotal',
        type: 'object',
        ...members({
          stage: { type: 'string', enum: STAGES, description: 'The stage.' },
          total: count('Number of flags.'),
        }),
      },
    },
    cleanUps: { type: 'array', items: cleanUpSchema },
  }),
} as const;

export const cleanUpMoveSchema = {
  title: 'CleanUpMove',
  type: 'object',
  ...members(
    {
      stage: { type: 'string', enum: MOVABLE_STAGES, description: 'The stage to which it moves.' },
      url: { ...url, description: 'Where it is being removed; null for nowhere, omitted to keep it.' },
    },
    ['url'],
  ),
} as const;

export type CleanUp = FromSchema<typeof cleanUpSchema>;
export type CleanUps = FromSchema<typeof cleanUpsSchema>;
export type CleanUpMove = FromSchema<typeof cleanUpMoveSchema>;

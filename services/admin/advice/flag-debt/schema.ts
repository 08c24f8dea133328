import type { FromSchema } from 'json-schema-to-ts';
import { count, day, members, text } from '#base/schema';

const exactly = (description: string) =>
  ({ type: 'string', maxLength: 255, format: 'storable', description }) as const;

export const flagDebtQuery = {
  type: 'object',
  properties: {
    from: day('First day (UTC); by default 90 days ago. The last 750 days are known.'),
    to: day('Last day (UTC); by default today.'),
    project: exactly('Only flags of this project.'),
    owner: exactly('Only flags of this owner.'),
  },
} as const;

const figures = {
  flags: count('Flags that are not archived at the end of the day.'),
  overdueFlags: count(
    'Those that are older than their type lasts: release and experiment 40 days, operational 7.',
  ),
  evaluations: count('Evaluations of all flags.'),
  constantEvaluations: count(
    'Those that decide nothing: of flags of these types that were always on or always off for 30 days.',
  ),
} as const;

export const flagDebtSchema = {
  title: 'FlagDebt',
  type: 'object',
  ...members({
    days: {
      type: 'array',
      description: 'Each day of the window, in order.',
      items: {
        title: 'FlagDebtDay',
        type: 'object',
        ...members({
          day: day('The day (UTC).'),
          ...figures,
          isComplete: { type: 'boolean', description: 'Whether the day has ended.' },
        }),
      },
    },
    totalGroups: count('All projects and owners.'),
    groups: {
      type: 'array',
      description:
        'Each project and owner, those with most evaluations that decide nothing first, at most 1,000: flags of the last day, evaluations of the whole window.',
      items: {
        title: 'FlagDebtGroup',
        type: 'object',
        ...members({
          project: text('The project.'),
          owner: { ...text('The owner; null if none.'), type: ['string', 'null'] },
          ...figures,
        }),
      },
    },
  }),
} as const;

export type FlagDebtQuery = FromSchema<typeof flagDebtQuery>;
export type FlagDebt = FromSchema<typeof flagDebtSchema>;

import type { FromSchema } from 'json-schema-to-ts';
import { members, nullableText, text, urlName } from '#base/schema';

const parameterSchema = {
  title: 'StrategyParameter',
  type: 'object',
  ...members({
    name: text('Name of the parameter.'),
    type: text('string, percentage, list, number or boolean.'),
    description: text('What it does.', 10_000),
    required: { type: 'boolean' },
  }),
} as const;

/** A strategy type (docs/use/senders/contract.md#change-requests-feedback-strategies-and-events). */
export const strategySchema = {
  title: 'Strategy',
  type: 'object',
  description: 'A strategy type.',
  ...members(
    {
      title: nullableText('Optional title.'),
      name: text('Name (type) of the strategy.'),
      displayName: nullableText('Display name.'),
      description: nullableText('Short description.', 10_000),
      editable: { type: 'boolean', description: 'False for built-in strategies.' },
      deprecated: { type: 'boolean' },
      parameters: { type: 'array', items: parameterSchema },
    },
    ['title'],
  ),
} as const;

export const strategiesSchema = {
  title: 'Strategies',
  type: 'object',
  description: 'All strategy types, built-in and custom.',
  ...members({
    version: { type: 'integer', const: 1 },
    strategies: { type: 'array', items: strategySchema },
  }),
} as const;

const newParameterSchema = {
  title: 'NewStrategyParameter',
  type: 'object',
  ...members(
    {
      name: { ...text('Name of the parameter.'), minLength: 1 },
      type: { type: 'string', enum: ['string', 'percentage', 'list', 'number', 'boolean'] },
      description: text('What it does.', 1000),
      required: { type: 'boolean' },
    },
    ['description', 'required'],
  ),
} as const;

const content = {
  title: nullableText('Optional title.'),
  description: nullableText('Short description.', 1000),
  parameters: { type: 'array', maxItems: 100, items: newParameterSchema },
} as const;

export const strategyUpdateSchema = {
  title: 'StrategyUpdate',
  type: 'object',
  required: ['parameters'],
  properties: content,
} as const;

export const newStrategySchema = {
  title: 'NewStrategy',
  type: 'object',
  ...members({ name: urlName('Name (type) of the strategy.'), ...content }, ['title', 'description']),
} as const;

export const exportedStrategySchema = {
  type: 'object',
  required: ['name', 'parameters'],
  properties: {
    name: text('Name.'),
    title: nullableText('Title.'),
    display_name: nullableText('Display name.'),
    description: nullableText('What it does.', 10_000),
    parameters: { type: 'array' },
    deprecated: { type: 'boolean' },
    sort_order: { type: 'integer' },
  },
} as const;

export type Strategy = FromSchema<typeof strategySchema>;
export type StrategyUpdate = FromSchema<typeof strategyUpdateSchema>;
export type NewStrategy = FromSchema<typeof newStrategySchema>;

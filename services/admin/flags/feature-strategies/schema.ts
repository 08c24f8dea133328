import type { FromSchema } from 'json-schema-to-ts';
import { compileGuard, members, nullableText, nullableUuid, text, uuid } from '#base/schema';

/** The bounds are those of Unleash, where it has one. */
export const MAX_STRATEGIES = 30;
const MAX_CONSTRAINTS = 30;
const MAX_VALUES = 250;
const MAX_VARIANTS = 100;
const MAX_SEGMENTS = 5;

const OPERATORS = [
  'NOT_IN',
  'IN',
  'STR_ENDS_WITH',
  'STR_STARTS_WITH',
  'STR_CONTAINS',
  'NUM_EQ',
  'NUM_GT',
  'NUM_GTE',
  'NUM_LT',
  'NUM_LTE',
  'DATE_AFTER',
  'DATE_BEFORE',
  'SEMVER_EQ',
  'SEMVER_GT',
  'SEMVER_LT',
  'SEMVER_GTE',
  'SEMVER_LTE',
  'REGEX',
] as const;

export const constraintSchema = {
  title: 'Constraint',
  type: 'object',
  required: ['contextName', 'operator'],
  additionalProperties: false,
  properties: {
    contextName: { ...text('Field of the context, for example userId.', 100), minLength: 1 },
    operator: { type: 'string', enum: OPERATORS },
    values: {
      type: 'array',
      maxItems: MAX_VALUES,
      items: text('A value.'),
      description: 'For IN, NOT_IN and operators on texts.',
    },
    value: text(
      'For operators on numbers, dates and semantic versions, and the pattern of REGEX, in the syntax of RE2.',
    ),
    inverted: { type: 'boolean' },
    caseInsensitive: { type: 'boolean' },
  },
} as const;

export const payloadSchema = {
  title: 'VariantPayload',
  type: 'object',
  additionalProperties: false,
  ...members({
    type: { type: 'string', enum: ['json', 'csv', 'string', 'number'] },
    value: text('What the application receives.', 10_000),
  }),
} as const;

export const variantSchema = {
  title: 'StrategyVariant',
  type: 'object',
  additionalProperties: false,
  ...members(
    {
      name: { ...text('Unique in its strategy.', 100), minLength: 1 },
      weight: {
        type: 'integer',
        minimum: 0,
        maximum: 1000,
        description: 'Share in thousandths; the weights of a strategy add up to 1000.',
      },
      weightType: {
        type: 'string',
        enum: ['variable', 'fix'],
        description: 'Whether a UI may change the weight when other weights change.',
      },
      stickiness: { ...text('The same for all variants of a strategy.', 100), minLength: 1 },
      payload: payloadSchema,
    },
    ['payload'],
  ),
} as const;

const content = {
  name: { ...text('Strategy type, for example flexibleRollout.'), minLength: 1 },
  title: nullableText('Display name.'),
  disabled: { type: 'boolean', description: 'A disabled strategy has no effect.' },
  parameters: {
    type: 'object',
    maxProperties: 100,
    additionalProperties: text('Value of a parameter.', 10_000),
    description: 'By the names of the strategy type, for example {"rollout": "25"}.',
  },
  constraints: { type: 'array', maxItems: MAX_CONSTRAINTS, items: constraintSchema },
  variants: { type: 'array', maxItems: MAX_VARIANTS, items: variantSchema },
  segments: {
    type: 'array',
    maxItems: MAX_SEGMENTS,
    uniqueItems: true,
    items: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 },
    description: 'Ids of segments, which flagmeter stores but does not check.',
  },
} as const;

/**
 * A strategy as a caller writes it. Absent members get their defaults. A misspelt member is rejected, because a strategy without
 * its constraints would serve everybody.
 */
export const strategyContentSchema = {
  title: 'FeatureStrategyContent',
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    ...content,
    id: nullableUuid('Ignored, so that a strategy can be sent back as it was read; the path has the id.'),
    sortOrder: { type: 'integer', description: 'Ignored; set-sort-order changes it.' },
  },
} as const;

/** A strategy as it is stored and read. */
export const featureStrategySchema = {
  title: 'FeatureStrategy',
  type: 'object',
  additionalProperties: false,
  ...members({
    ...content,
    id: uuid('Unique.'),
    sortOrder: { type: 'integer', description: 'Position: the first strategy has 0.' },
  }),
} as const;

export const featureStrategiesSchema = { type: 'array', items: featureStrategySchema } as const;

/** The new positions; strategies that are absent keep theirs. */
export const sortOrderSchema = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_STRATEGIES,
  items: {
    title: 'StrategyPosition',
    type: 'object',
    additionalProperties: false,
    ...members({
      id: uuid('Id of a strategy.'),
      sortOrder: { type: 'integer', minimum: 0, maximum: 9999 },
    }),
  },
} as const;

/** The payload of patchVariant: the variants that a feature has in an environment, apart from those of its strategies. */
const variantsSchema = {
  title: 'FeatureVariants',
  type: 'object',
  ...members({ variants: content.variants }),
} as const;

export type Variants = FromSchema<typeof variantsSchema>['variants'];
export const isVariantsPayload = compileGuard<FromSchema<typeof variantsSchema>>(variantsSchema);

export type StrategyContent = FromSchema<typeof strategyContentSchema>;
export type FeatureStrategy = FromSchema<typeof featureStrategySchema>;
export type SortOrder = FromSchema<typeof sortOrderSchema>;

const ofId = {
  type: 'object',
  ...members({ id: uuid('Id of a strategy.') }),
} as const;

const STRATEGY_PAYLOADS = {
  addStrategy: strategyContentSchema,
  updateStrategy: {
    ...strategyContentSchema,
    title: 'FeatureStrategyUpdate',
    required: ['id', 'name'],
    properties: { ...strategyContentSchema.properties, ...ofId.properties },
  },
  deleteStrategy: ofId,
  reorderStrategy: sortOrderSchema,
} as const;

/** The guards of the payloads in change requests, by action. */
export const isStrategyPayload = {
  addStrategy: compileGuard<StrategyContent>(STRATEGY_PAYLOADS.addStrategy),
  updateStrategy: compileGuard<StrategyContent & { readonly id: string }>(STRATEGY_PAYLOADS.updateStrategy),
  deleteStrategy: compileGuard<FromSchema<typeof ofId>>(STRATEGY_PAYLOADS.deleteStrategy),
  reorderStrategy: compileGuard<SortOrder>(STRATEGY_PAYLOADS.reorderStrategy),
};

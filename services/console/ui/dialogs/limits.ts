import { cleanUpMoveSchema } from '../../../admin/advice/clean-ups/schema.ts';
import { newSubscriptionSchema } from '../../../admin/advice/notifications/schema.ts';
import { newAcknowledgementSchema } from '../../../admin/advice/verdicts/recorded-schema.ts';
import { commentSchema, stateChangeSchema } from '../../../admin/flags/change-requests/body-schemas.ts';
import {
  constraintSchema,
  payloadSchema,
  strategyContentSchema,
  variantSchema,
} from '../../../admin/flags/feature-strategies/schema.ts';
import { guardSchema, newFeatureSchema } from '../../../admin/flags/features/schema.ts';
import { newFeedbackSchema } from '../../../admin/flags/feedback/schema.ts';
import { newProjectSchema } from '../../../admin/flags/projects/schema.ts';
import { newStrategySchema } from '../../../admin/flags/strategies/schema.ts';
import { commentQuerySchema } from '../../../admin/http/comment-schema.ts';
import { newPersonalTokenSchema } from '../../../admin/people/personal-tokens/schema.ts';
import { newAssignmentSchema } from '../../../admin/people/roles/schema.ts';
import { newApiTokenSchema } from '../../../admin/people/tokens/schema.ts';
import { newUserSchema } from '../../../admin/people/users/schema.ts';

/** The bodies that forms send, and the query that all changes may have. */
const SCHEMAS = {
  acknowledgement: newAcknowledgementSchema,
  apiToken: newApiTokenSchema,
  assignment: newAssignmentSchema,
  change: commentQuerySchema,
  cleanUp: cleanUpMoveSchema,
  comment: commentSchema,
  constraint: constraintSchema,
  feature: newFeatureSchema,
  feedback: newFeedbackSchema,
  guard: guardSchema,
  payload: payloadSchema,
  personalToken: newPersonalTokenSchema,
  project: newProjectSchema,
  stateChange: stateChangeSchema,
  strategyOfFeature: strategyContentSchema,
  strategyType: newStrategySchema,
  subscription: newSubscriptionSchema,
  user: newUserSchema,
  variant: variantSchema,
} as const;

export type Form = keyof typeof SCHEMAS;
export type MemberOf<F extends Form> = keyof (typeof SCHEMAS)[F]['properties'] & string;

/** What the API takes, as attributes of HTML. */
export type Limits = {
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
};

// The build evaluates this module, and pages get only what it exports, not the schemas (tools/console/build.ts).
export const LIMITS: Readonly<Record<string, Readonly<Record<string, Limits>>>> = mapValues(
  SCHEMAS,
  (schema: Schema) =>
    mapValues(schema.properties, (member, name) =>
      limitsOfMember(member, schema.required?.includes(name) === true),
    ),
);

export const PAYLOAD_TYPES = payloadSchema.properties.type.enum;
export const MAX_PARAMETER_LENGTH =
  strategyContentSchema.properties.parameters.additionalProperties.maxLength;
export const ROOT_ROLES = newUserSchema.properties.rootRole.enum;

type Member = Readonly<Record<string, unknown>>;
type Schema = {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Member>>;
};

function limitsOfMember(member: Member, isRequired: boolean): Limits {
  const { type, minLength, maxLength, pattern, minimum, maximum } = member;
  // The API may take a text that is there and empty.
  const mayBeEmpty = type === 'string' && minLength === undefined && pattern === undefined;
  return {
    ...(isRequired && !mayBeEmpty && { required: true }),
    ...numberIn('maxLength', maxLength ?? lengthOfPattern(pattern)),
    ...numberIn('min', minimum),
    ...numberIn('max', maximum),
  };
}

function numberIn(name: 'maxLength' | 'min' | 'max', value: unknown): Limits {
  return typeof value === 'number' ? { [name]: value } : {};
}

/** The patterns of names end with their length, such as `{1,100}$`. */
function lengthOfPattern(pattern: unknown): number | undefined {
  const [, length] = /\{1,(\d+)\}\$$/.exec(String(pattern)) ?? [];
  return length === undefined ? undefined : Number(length);
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

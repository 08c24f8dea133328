import { nullableText, text, time, uuid } from '#base/schema';
import { newSubscriptionSchema } from './schema.ts';

const { name, channel, causes, verdicts, eventTypes, schedule, hour, weekday } =
  newSubscriptionSchema.properties;

/** Without the address and the secret: whoever imports it sets the address again, which makes a new secret. */
export const exportedSubscriptionSchema = {
  type: 'object',
  required: ['uid', 'name', 'channel', 'host', 'causes', 'created_by'],
  properties: {
    uid: uuid('Never changes, so that an import recognises the record.'),
    name,
    channel,
    causes,
    verdicts,
    event_types: eventTypes,
    schedule,
    hour,
    weekday,
    host: text('Host of the address.'),
    project: nullableText('Project.'),
    owner: nullableText('Owner.'),
    tag: nullableText('Tag.'),
    enabled: { type: 'boolean', description: 'An import sets false, because there is no address.' },
    created_at: time('When.'),
    created_by: text('Who.'),
  },
} as const;

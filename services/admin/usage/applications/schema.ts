import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, time, nextCursor } from '#base/schema';

export const applicationSchema = {
  title: 'Application',
  type: 'object',
  ...members({
    appName: { type: 'string' },
    createdAt: time('When it was first reported.'),
    seenAt: time('When it was last reported, exact to the minute.'),
    strategies: { type: 'array', items: { type: 'string' } },
    description: nullableText('Description of the application.'),
    url: nullableText('Where it is.'),
    color: nullableText('Used by the user interface.'),
    icon: nullableText('Used by the user interface.'),
    usage: {
      type: 'array',
      description: 'The 20 projects and environments in which it was seen most recently.',
      items: {
        title: 'ApplicationUsage',
        type: 'object',
        ...members({
          project: { type: 'string' },
          environments: { type: 'array', items: { type: 'string' } },
        }),
      },
    },
    totalUsage: count('Number of project environments that use it.'),
    instances: {
      type: 'array',
      description: 'The 20 most recently seen.',
      items: {
        title: 'ApplicationInstance',
        type: 'object',
        ...members({
          instanceId: { type: 'string' },
          environment: { type: 'string' },
          sdkVersion: { type: ['string', 'null'] },
          sdkType: { type: ['string', 'null'] },
          platformName: nullableText('Runtime of the SDK.'),
          platformVersion: nullableText('Version of the runtime.'),
          yggdrasilVersion: nullableText('Version of the evaluation engine in the SDK.'),
          connectVia: {
            type: 'array',
            description: 'The relays that forwarded its last report, at most 10.',
            items: {
              title: 'InstanceRelay',
              type: 'object',
              ...members({ appName: { type: 'string' }, instanceId: { type: 'string' } }),
            },
          },
          lastSeen: time('When it was last reported, exact to the minute.'),
        }),
      },
    },
    totalInstances: count('Number of instances.'),
  }),
} as const;

export const applicationsSchema = {
  title: 'Applications',
  type: 'object',
  ...members({
    total: count('Number of applications, also of those on other pages.'),
    nextCursor,
    applications: {
      type: 'array',
      items: applicationSchema,
    },
  }),
} as const;

export type Applications = FromSchema<typeof applicationsSchema>;

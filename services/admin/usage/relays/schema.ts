import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, nullableTime, time, nextCursor } from '#base/schema';

const nullableCount = (description: string) =>
  ({ type: ['integer', 'null'], minimum: 0, description }) as const;

const latency = {
  title: 'RelayLatency',
  type: ['object', 'null'],
  description:
    'Time of its requests to its upstream since it started: for features, or to send metrics. Null if it made none or does not report them.',
  ...members({ averageMs: { type: 'number' }, p99Ms: { type: 'number' } }),
} as const;

const shared = {
  appName: { type: 'string' },
  relayId: {
    type: 'string',
    description: 'Identifier that the relay chose. An Unleash Edge has a new one whenever it starts.',
  },
  state: {
    type: 'string',
    enum: ['reporting', 'silent', 'stopped'],
    description:
      'silent: no report for five minutes, or for two and a half of its intervals. stopped: silent, but it ended in order or another one replaced it.',
  },
  version: nullableText('Version of the relay; null if not reported.'),
  region: nullableText('Region in which it runs; null if not reported.'),
  hosting: nullableText('Who runs it, for example self-hosted; null if not reported.'),
  environment: { type: 'string', description: 'Environment of the token with which it reports.' },
  startedAt: nullableTime('When it started; null if not reported.'),
  firstSeenAt: time('Its first report.'),
  lastReportAt: time('Its last report.'),
  requestsPerSecond: {
    type: 'number',
    description: 'Requests that it answered with 2xx or 304, in the time that its last report covers.',
  },
  refused: nullableCount('Requests that it answered with 403 in this time; null if not reported.'),
  featuresLatency: latency,
  metricsLatency: latency,
  streamingClients: nullableCount('Connected streaming clients; null if not reported.'),
  memoryBytes: nullableCount('Resident memory; null if not reported.'),
  revisions: {
    type: 'array',
    description: 'The configurations that it holds.',
    items: {
      title: 'RelayRevision',
      type: 'object',
      ...members({
        environment: { type: 'string' },
        projects: { type: 'array', items: { type: 'string' } },
        revision: count('Number of the change of Unleash up to which it has the configuration.'),
        newestRevision: count(
          'The newest one that any reporting relay holds of this environment and projects.',
        ),
      }),
    },
  },
} as const;

export const relaysSchema = {
  title: 'Relays',
  type: 'object',
  ...members({
    total: count('Number of relays that report to flagmeter directly.'),
    nextCursor,
    totalReporting: count('How many of them are reporting.'),
    totalSilent: count('How many of them are silent.'),
    relays: {
      type: 'array',
      description: 'Silent relays first, then those that are reporting, then stopped ones.',
      items: {
        title: 'Relay',
        type: 'object',
        ...members({
          ...shared,
          nested: {
            type: 'array',
            description:
              'The relays behind it that were reported last, at most 100. `parentId` makes them a tree.',
            items: {
              title: 'NestedRelay',
              type: 'object',
              ...members({
                ...shared,
                parentId: { type: 'string', description: 'relayId of the relay that it reports to.' },
              }),
            },
          },
          totalNested: count('Number of relays behind it.'),
        }),
      },
    },
  }),
} as const;

export type Relays = FromSchema<typeof relaysSchema>;

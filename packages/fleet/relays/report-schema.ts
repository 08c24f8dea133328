import type { FromSchema } from 'json-schema-to-ts';

const name = { type: 'string', format: 'name' } as const;
const nullableText = { type: ['string', 'null'], maxLength: 255, format: 'storable' } as const;
const amount = { type: ['number', 'null'], minimum: 0 } as const;
const latency = {
  type: ['object', 'null'],
  description: 'Times in milliseconds since the relay started.',
  properties: { avg: amount, p99: amount, count: amount },
} as const;

/**
 * One relay of a report (docs/develop/unleash.md#reports-of-relays). Null means absent, and unknown members are ignored. Nested
 * relays have the same schema; each is checked by itself, so that their depth is bounded.
 */
export const relayReportSchema = {
  title: 'RelayReport',
  type: 'object',
  required: ['identifier', 'appName'],
  properties: {
    identifier: name,
    appName: name,
    edgeVersion: nullableText,
    region: nullableText,
    hosting: nullableText,
    started: { type: ['string', 'null'], format: 'timestamp' },
    processMetrics: {
      type: ['object', 'null'],
      properties: { cpuUsage: amount, memoryUsage: amount },
    },
    traffic: {
      type: ['object', 'null'],
      properties: { accessDenied: { type: ['object', 'null'], additionalProperties: latency } },
    },
    latencyUpstream: {
      type: ['object', 'null'],
      properties: { features: latency, metrics: latency, edge: latency },
    },
    requestsSinceLastReport: {
      type: ['object', 'null'],
      additionalProperties: {
        type: ['object', 'null'],
        properties: { requests200: amount, requests304: amount },
      },
    },
    connectedStreamingClients: amount,
    connectedEdges: { type: ['array', 'null'], items: { description: 'A report of the same form.' } },
    edgeApiKeyRevisionIds: {
      type: ['array', 'null'],
      items: {
        title: 'ReportedRevision',
        type: 'object',
        required: ['environment', 'projects', 'revisionId'],
        properties: {
          environment: { type: 'string' },
          projects: { type: 'array', items: { type: 'string' } },
          revisionId: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        },
      },
    },
  },
} as const;

export type RelayReportBody = FromSchema<typeof relayReportSchema>;

import { tokenValidationSchema, validTokensSchema } from '#base/auth';
import { batchSchema, sdkMetricsSchema, sdkRegistrationSchema } from '#core/counting';
import { relayReportSchema } from '#fleet/relays';
import type { Documented, DocumentedParameter } from './documented.ts';

const header = (name: string, description: string): DocumentedParameter & { description: string } => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

/** The headers by which we recognise a repeated batch (docs/use/senders/relays.md). */
const SENDER = [
  header(
    'unleash-connection-id',
    'Identifies the sender. Flagmeter then counts the same bytes once, even if they are sent again.',
  ),
  header('unleash-instanceid', 'With unleash-appname, identifies the sender in the same way.'),
  header('unleash-appname', 'See unleash-instanceid.'),
  header('idempotency-key', 'Identifies the sender in the same way, if the other headers are absent.'),
];

const COMMON = {
  method: 'post',
  tag: 'Relays',
  parameters: SENDER,
  answer: { status: 202, description: 'Kafka has stored the data durably.' },
  problems: [400, 401, 403, 413, 415, 429, 500, 503],
} as const;

const APPLICATION = {
  appName: 'checkout-api',
  environment: 'production',
  instanceId: 'checkout-api-7d9f',
  interval: 15_000,
  started: '2026-11-21T09:59:12.348Z',
  strategies: ['default', 'flexibleRollout'],
  sdkVersion: 'unleash-client-node:6.7.0',
};

const BATCH = {
  schema: batchSchema,
  example: {
    applications: [APPLICATION],
    metrics: [
      {
        featureName: 'new-basket',
        appName: 'checkout-api',
        environment: 'production',
        timestamp: '2026-11-21T10:01:03.120Z',
        yes: 812,
        no: 41,
        variants: { blue: 410, red: 402 },
      },
    ],
  },
};

const SDK_METRICS = {
  schema: sdkMetricsSchema,
  example: {
    appName: 'checkout-api',
    instanceId: 'checkout-api-7d9f',
    bucket: {
      start: '2026-11-21T10:00:00Z',
      stop: '2026-11-21T10:01:00Z',
      toggles: { 'new-basket': { yes: 812, no: 41, variants: { blue: 410, red: 402 } } },
    },
  },
};

const ALSO = 'Values of other types are taken as by Unleash (docs/use/senders/contract.md).';
const ONE_SDK = `The token determines environment and projects. docs/use/senders/relays.md lists what is stored. ${ALSO}`;
const ONE_RELAY =
  'A metric that cannot be counted is refused on its own and appears in listRefusals. docs/use/senders/relays.md lists what is stored.';

/** The operations that ingest offers to relays and SDKs. A test compares them with the routes of the service. */
export const RELAY_OPERATIONS: readonly Documented[] = [
  {
    ...COMMON,
    id: 'sendMetrics',
    path: '/edge/metrics',
    summary: 'Send the batch of a relay',
    description: ONE_RELAY,
    body: BATCH,
  },
  {
    ...COMMON,
    id: 'sendBulkMetrics',
    path: '/api/client/metrics/bulk',
    summary: 'Send the batch of a relay, at the path that current relays use',
    description: `${ONE_RELAY} ${ALSO}`,
    body: BATCH,
  },
  {
    ...COMMON,
    id: 'sendSdkMetrics',
    path: '/api/client/metrics',
    summary: 'Send the counts of one SDK that uses no relay',
    description: ONE_SDK,
    body: SDK_METRICS,
  },
  {
    ...COMMON,
    id: 'registerSdk',
    path: '/api/client/register',
    summary: 'Register one SDK that uses no relay',
    description: ONE_SDK,
    body: { schema: sdkRegistrationSchema, example: APPLICATION },
  },
  {
    ...COMMON,
    id: 'sendFrontendMetrics',
    path: '/api/frontend/client/metrics',
    summary: 'Send the counts of one SDK in a browser',
    description: `Requires a frontend token. Pages of any origin may send. ${ONE_SDK}`,
    body: SDK_METRICS,
  },
  {
    ...COMMON,
    id: 'registerFrontendSdk',
    path: '/api/frontend/client/register',
    summary: 'Register one SDK in a browser',
    description: `Requires a frontend token. Pages of any origin may send. ${ONE_SDK}`,
    body: { schema: sdkRegistrationSchema, example: APPLICATION },
  },
  {
    ...COMMON,
    parameters: [],
    id: 'sendRelayReport',
    path: '/api/client/metrics/edge',
    summary: 'Report what a relay says about itself',
    description:
      'Members other than the names may be absent. With UNLEASH_URL, Unleash gets the request too and answers it. docs/use/senders/contract.md lists what is stored.',
    body: {
      schema: relayReportSchema,
      example: {
        identifier: '01K3EDGE0000000000000000AA',
        appName: 'unleash-edge',
        edgeVersion: '20.4.1',
        started: '2026-11-25T08:00:00Z',
        requestsSinceLastReport: { '/api/client/features': { requests200: 100, requests304: 25 } },
      },
    },
  },
  {
    id: 'validateTokens',
    method: 'post',
    path: '/edge/validate',
    tag: 'Relays',
    summary: 'Ask which secrets are valid API tokens',
    description: 'Needs no token, because the answer contains only secrets that the caller already knows.',
    isOpen: true,
    parameters: [],
    body: {
      schema: tokenValidationSchema,
      example: { tokens: ['*:production.only-an-example-secret-for-clients'] },
    },
    answer: {
      status: 200,
      description: 'Tokens that are valid.',
      schema: validTokensSchema,
      example: {
        tokens: [
          {
            token: '*:production.only-an-example-secret-for-clients',
            type: 'client',
            projects: ['*'],
            environment: 'production',
          },
        ],
      },
    },
    problems: [400, 408, 413, 415, 429, 500, 503],
  },
];

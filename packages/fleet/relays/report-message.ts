import { compileGuard, members } from '#base/schema';

const VERSION = 1;

/** How long the requests of a relay to its upstream take, since the relay started. */
export type Latency = { readonly averageMs: number; readonly p99Ms: number };

/** What a relay holds for one of its keys. */
export type Revision = {
  readonly environment: string;
  readonly projects: readonly string[];
  readonly revision: number;
};

/** A relay as one report describes it. Absent members are undefined: the relay did not say. */
export type RelayState = {
  readonly appName: string;
  readonly relayId: string;
  /** The relay that it reports to; undefined if it reports to us. */
  readonly parentId: string | undefined;
  /** 0 if it reports to us. */
  readonly depth: number;
  readonly version: string | undefined;
  readonly region: string | undefined;
  readonly hosting: string | undefined;
  /** Epoch milliseconds. */
  readonly startedAt: number | undefined;
  /** Since its last report. */
  readonly requests: number;
  /** Since it started. */
  readonly refusedTotal: number | undefined;
  /** Since it started. */
  readonly cpuSecondsTotal: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly streamingClients: number | undefined;
  readonly latency: Readonly<Record<'features' | 'metrics' | 'reports', Latency | undefined>>;
  readonly revisions: readonly Revision[];
};

/** The relay that sent a report, and after it those behind it. */
export type RelayReport = {
  readonly tokenId: string;
  /** The environment of the token. */
  readonly environment: string;
  readonly relays: readonly RelayState[];
};

const name = { type: 'string', format: 'name' } as const;
const text = { type: 'string', maxLength: 255, format: 'storable' } as const;
const wholeNumber = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const amount = { type: 'number', minimum: 0, maximum: 1e15 } as const;
const latency = { type: 'object', ...members({ averageMs: amount, p99Ms: amount }) } as const;

const relaySchema = {
  type: 'object',
  ...members(
    {
      appName: name,
      relayId: name,
      parentId: name,
      depth: { type: 'integer', minimum: 0, maximum: 100 },
      version: text,
      region: text,
      hosting: text,
      startedAt: { type: 'integer', minimum: 0, maximum: 4_294_967_295_000 },
      requests: wholeNumber,
      refusedTotal: wholeNumber,
      cpuSecondsTotal: amount,
      memoryBytes: wholeNumber,
      streamingClients: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
      latency: {
        type: 'object',
        ...members({ features: latency, metrics: latency, reports: latency }, [
          'features',
          'metrics',
          'reports',
        ]),
      },
      revisions: {
        type: 'array',
        items: {
          type: 'object',
          ...members({
            environment: { type: 'string', format: 'name', maxLength: 100 },
            projects: { type: 'array', items: name },
            revision: wholeNumber,
          }),
        },
      },
    },
    [
      ...(['parentId', 'version', 'region', 'hosting', 'startedAt', 'refusedTotal'] as const),
      ...(['cpuSecondsTotal', 'memoryBytes', 'streamingClients'] as const),
    ],
  ),
} as const;

const messageSchema = {
  type: 'object',
  ...members({
    v: { const: VERSION },
    tokenId: name,
    /** The environment of the token. */
    environment: name,
    relays: { type: 'array', items: relaySchema },
  }),
} as const;

const isMessage = compileGuard<RelayReport>(messageSchema);

export function encodeRelayReport({ tokenId, environment, relays }: RelayReport): string {
  return JSON.stringify({ v: VERSION, tokenId, environment, relays });
}

/** The guard holds everything that Postgres or ClickHouse would reject, because that would block all later reports. */
export function decodeRelayReport(value: Uint8Array | null): RelayReport | undefined {
  if (value === null) return undefined;
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value));
    return isMessage(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

import type { LoadOptions } from '#tooling/traffic';

/** How many different keys a load has. */
export const KEYS = {
  realistic: { features: 1000, apps: 20, skew: 1 },
  many: { features: 10_000, apps: 50, skew: 0 },
} as const;

/** The content of the requests of one measurement. */
export type Shape = {
  readonly rows: number;
  readonly keys: keyof typeof KEYS;
  readonly connections: number;
  /** Bodies of an SDK that posts directly, or of OpenTelemetry in one of its encodings; absent for those of relays, as Edge sends them. */
  readonly format?: 'sdk' | 'protobuf' | 'json';
  /** Whether each body has impact metrics. */
  readonly measures?: boolean;
};

export function sameShape(one: Shape, other: Shape): boolean {
  return (
    one.rows === other.rows &&
    one.keys === other.keys &&
    one.connections === other.connections &&
    one.format === other.format &&
    (one.measures ?? false) === (other.measures ?? false)
  );
}

const UNITS = {
  sdk: 'toggles of an SDK',
  protobuf: 'points of OpenTelemetry as protobuf',
  json: 'points of OpenTelemetry as JSON',
} as const;
const PATHS = { sdk: '/api/client/metrics', protobuf: '/v1/metrics', json: '/v1/metrics' } as const;
/** Reports do not mention it. */
const USUAL_CONNECTIONS = 16;

/** How reports name a shape. */
export function nameOfShape({ rows, keys, connections, format, measures = false }: Shape): string {
  return [
    `${rows} ${format === undefined ? 'rows' : UNITS[format]}`,
    ...(keys === 'realistic' ? [] : [`${keys} keys`]),
    ...(connections === USUAL_CONNECTIONS ? [] : [`${connections} connections`]),
    ...(measures ? ['impact metrics'] : []),
  ].join(', ');
}

/** The timestamps of a body of a relay: some of them are of the hour before. */
const SPAN_MS = 2 * 3_600_000;

export type Target = { readonly url: string; readonly token: string };

export function loadOptions(
  { rows, keys, connections, format, measures = false }: Shape,
  target: Target,
  pace: Pick<LoadOptions, 'rate' | 'seconds'>,
): LoadOptions {
  const isOfRelay = format === undefined;
  return {
    ...KEYS[keys],
    ...pace,
    url: new URL(isOfRelay ? '/api/client/metrics/bulk' : PATHS[format], target.url).toString(),
    format: format ?? 'unleash',
    token: target.token,
    rowsPerBody: rows,
    imitatesEdge: isOfRelay,
    measures,
    spanMs: isOfRelay ? SPAN_MS : 0,
    connections,
    environments: ['production'],
    seed: 1,
    timeoutMs: 30_000,
  };
}

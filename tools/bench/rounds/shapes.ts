import type { LoadOptions } from '#tooling/traffic';

/** How many different keys a load has. */
export const KEYS = {
  few: { features: 600, apps: 1, skew: 0 },
  realistic: { features: 1000, apps: 20, skew: 1 },
  many: { features: 10_000, apps: 50, skew: 0 },
} as const;

/** The content of the requests of one measurement. */
export type Shape = {
  readonly rows: number;
  readonly keys: keyof typeof KEYS;
  readonly connections: number;
  /** The encoding of bodies of OpenTelemetry; absent for those of Unleash. */
  readonly otlp?: 'protobuf' | 'json';
  /** Whether each body imitates one of Edge: its headers, an application, and unknown metadata in each row. */
  readonly imitatesEdge?: boolean;
  /** Whether each body has impact metrics. */
  readonly measures?: boolean;
};

export function sameShape(one: Shape, other: Shape): boolean {
  return (
    one.rows === other.rows &&
    one.keys === other.keys &&
    one.connections === other.connections &&
    one.otlp === other.otlp &&
    (one.imitatesEdge ?? false) === (other.imitatesEdge ?? false) &&
    (one.measures ?? false) === (other.measures ?? false)
  );
}

/** How reports name a shape. */
export function nameOfShape({ rows, keys, connections, otlp }: Shape): string {
  const format = otlp === undefined ? 'rows' : `points, OpenTelemetry ${otlp}`;
  return `${rows} ${format}, ${keys} keys, ${connections} connections`;
}

/** The timestamps of a body: some of them are of the hour before. */
const SPAN_MS = 2 * 3_600_000;

/** The metadata makes rows longer, and more of them would exceed the limit of a body. */
const MAX_ROWS_OF_EDGE = 340;

export type Target = { readonly url: string; readonly token: string };

export function loadOptions(
  shape: Shape,
  target: Target,
  pace: Pick<LoadOptions, 'rate' | 'seconds'>,
): LoadOptions {
  return {
    ...KEYS[shape.keys],
    ...pace,
    url: new URL(shape.otlp === undefined ? '/edge/metrics' : '/v1/metrics', target.url).toString(),
    format: shape.otlp ?? 'unleash',
    token: target.token,
    rowsPerBody: shape.imitatesEdge === true ? Math.min(shape.rows, MAX_ROWS_OF_EDGE) : shape.rows,
    imitatesEdge: shape.imitatesEdge ?? false,
    measures: shape.measures ?? false,
    spanMs: shape.imitatesEdge === true ? SPAN_MS : 0,
    connections: shape.connections,
    environments: ['production'],
    seed: 1,
    timeoutMs: 30_000,
  };
}

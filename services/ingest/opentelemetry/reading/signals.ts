/** The kinds of data, each with its path. */
export const SIGNALS = ['logs', 'traces', 'metrics'] as const;
export type OtlpSignal = (typeof SIGNALS)[number];

/** How a body is written. */
export type OtlpEncoding = 'protobuf' | 'json';

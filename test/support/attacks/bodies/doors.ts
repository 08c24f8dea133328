import { SIGNALS } from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { aCounter, aHistogram } from '../../builders/builders.ts';
import { type Growth, growthsOf, rawJson } from './growths.ts';
import { encodeProtobuf, honestBody, messageOf } from './otlp-messages.ts';
import { type Schema, partsOf } from './shapes.ts';

/** A path that takes bytes, and every way to grow its bodies. */
export type Door = {
  readonly method: string;
  readonly path: string;
  /** The name of a documented operation. */
  readonly operation?: string;
  readonly contentType: string;
  /** The longest body that it takes, after decompression. */
  readonly maxBytes: number;
  readonly honest: unknown;
  readonly growths: readonly Growth[];
  readonly encode: (body: unknown) => Uint8Array<ArrayBuffer>;
};

/** Those of OpenTelemetry, in both encodings. */
export function doorsOfOtlp(limits: { readonly json: number; readonly protobuf: number }): Door[] {
  const now = BigInt(Date.now()) * 1_000_000n;
  return SIGNALS.flatMap((signal) => {
    const [schema, honest] = [messageOf(signal), honestBody(signal, now)];
    const growths = growthsOf(honest, partsOf(schema, honest, noReference));
    const shared = { method: 'POST', path: `/v1/${signal}`, honest };
    return [
      { ...shared, growths, maxBytes: limits.json, ...(signal === 'traces' ? SNAKE_FORM : JSON_FORM) },
      {
        ...shared,
        maxBytes: limits.protobuf,
        contentType: 'application/x-protobuf',
        growths: growths.filter(({ isRaw }) => isRaw !== true),
        encode: (body) => encodeProtobuf(body, schema),
      },
    ] satisfies Door[];
  });
}

const JSON_FORM = {
  contentType: 'application/json',
  encode: (body: unknown) => new TextEncoder().encode(rawJson(body)),
};

/** With the names of the definition, as libraries of protobuf write them. One signal has it, because all read it alike. */
const SNAKE_FORM = {
  ...JSON_FORM,
  encode: (body: unknown) => new TextEncoder().encode(rawJson(body).replaceAll(CAMEL, snakeOf)),
};
const CAMEL = /"[a-z]+(?:[A-Z][a-z]+)+":/g;

function snakeOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type Documented = {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example: unknown } };
  };
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
};

/** The OpenAPI document, which `/docs/openapi.json` of admin serves: a test keeps its paths complete. */
export type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** All documented operations with a body. */
export function documentedDoors({ paths, components }: OpenApi, maxBytes: number): Door[] {
  const resolve = (ref: string): Schema => components.schemas[ref.split('/').at(-1) ?? ''] ?? {};
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId: operation, requestBody }]) => {
      const content = requestBody?.content['application/json'];
      if (content === undefined) return [];
      const { example } = content;
      const honest = Array.isArray(example)
        ? (example as unknown[])
        : { ...(example as object), ...undocumentedMembers(path) };
      const growths = growthsOf(honest, partsOf(content.schema, honest, resolve));
      return { ...JSON_FORM, operation, method: method.toUpperCase(), path, maxBytes, honest, growths };
    }),
  );
}

/** What the schema leaves open, because an invalid one must not cost the body. */
function undocumentedMembers(path: string): object {
  if (!path.includes('metrics') || path.startsWith('/api/admin') || path.endsWith('/edge')) return {};
  return { impactMetrics: [aCounter(), aHistogram()], seenTokens: ['*:production.some-secret-of-a-client'] };
}

function noReference(ref: string): Schema {
  throw new Error(`no schema ${ref}`);
}

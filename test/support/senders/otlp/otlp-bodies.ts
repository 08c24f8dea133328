import { WireType } from '@bufbuild/protobuf/wire';
import {
  type OtlpAttributes,
  type OtlpValue,
  attributesJson,
  embed,
  finish,
  valueBytes,
  valueJson,
  writeAttributes,
} from './otlp-values.ts';

export type { OtlpAttributes };

export type OtlpRecord = {
  /** Nanoseconds since the epoch. */
  readonly time?: bigint;
  readonly observed?: bigint;
  readonly name?: string;
  readonly attributes?: OtlpAttributes;
  /** Of a log record only. */
  readonly body?: OtlpValue;
};

export type OtlpSpan = Omit<OtlpRecord, 'observed' | 'body'> & { readonly events?: readonly OtlpRecord[] };

export type OtlpPoint = Pick<OtlpRecord, 'time' | 'attributes'> & {
  readonly start?: bigint;
  readonly int?: bigint;
  readonly double?: number;
  readonly flags?: number;
};

export type OtlpMetric = {
  readonly name: string;
  /** Only a sum has temporality and is monotonic. */
  readonly kind: 'gauge' | 'sum';
  readonly temporality?: number;
  readonly isMonotonic?: boolean;
  readonly points: readonly OtlpPoint[];
};

type Scoped = {
  readonly resource?: OtlpAttributes;
  /** Its name. */
  readonly scope?: string;
};
export type LogsBody = readonly (Scoped & { readonly records: readonly OtlpRecord[] })[];
/** Of most spans only their events matter. */
export type TracesBody = readonly (Scoped & {
  readonly spans: readonly (OtlpSpan | readonly OtlpRecord[])[];
})[];
export type MetricsBody = readonly (Scoped & { readonly metrics: readonly OtlpMetric[] })[];

/** The same content in both encodings. The protobuf form has resources and scopes behind their contents, which is allowed. */
export type Encoded = { readonly protobuf: Uint8Array<ArrayBuffer>; readonly json: string };

export function logsBody(body: LogsBody): Encoded {
  return encode(body, ['resourceLogs', 'scopeLogs', 'logRecords'], ({ records }) =>
    records.map((record) => ({ bytes: recordBytes(record), json: recordJson(record) })),
  );
}

export function tracesBody(body: TracesBody): Encoded {
  return encode(body, ['resourceSpans', 'scopeSpans', 'spans'], ({ spans }) =>
    spans.map((span) => spanOf(isSpan(span) ? span : { name: 'a span', events: span })),
  );
}

function isSpan(span: OtlpSpan | readonly OtlpRecord[]): span is OtlpSpan {
  return !Array.isArray(span);
}

function spanOf({ name = '', time, attributes, events = [] }: OtlpSpan): Item {
  const bytes = finish((writer) => {
    for (const event of events) embed(writer, 11, eventBytes(event));
    writeAttributes(writer, 9, attributes);
    if (time !== undefined) writer.tag(7, WireType.Bit64).fixed64(time);
    writer.tag(5, WireType.LengthDelimited).string(name);
  });
  const json = {
    name,
    ...timeJson('startTimeUnixNano', time),
    attributes: attributesJson(attributes),
    events: events.map((event) => ({
      ...timeJson('timeUnixNano', event.time),
      name: event.name,
      attributes: attributesJson(event.attributes),
    })),
  };
  return { bytes, json };
}

export function metricsBody(body: MetricsBody): Encoded {
  return encode(body, ['resourceMetrics', 'scopeMetrics', 'metrics'], ({ metrics }) =>
    metrics.map((metric) => ({ bytes: metricBytes(metric), json: metricJson(metric) })),
  );
}

type Item = { readonly bytes: Uint8Array; readonly json: unknown };

function encode<Content extends Scoped>(
  body: readonly Content[],
  [resources, scopes, items]: readonly [string, string, string],
  itemsOf: (content: Content) => readonly Item[],
): Encoded {
  const encoded = body.map((content) => ({
    resource: content.resource,
    scope: content.scope ?? 'a scope',
    items: itemsOf(content),
  }));
  const protobuf = finish((writer) => {
    for (const content of encoded)
      embed(
        writer,
        1,
        finish((ofResource) => {
          const scope = finish((ofScope) => {
            for (const { bytes } of content.items) embed(ofScope, 2, bytes);
            embed(ofScope, 1, scopeBytes(content.scope));
          });
          embed(ofResource, 2, scope);
          const resource = finish((writesResource) => {
            writeAttributes(writesResource, 1, content.resource);
          });
          embed(ofResource, 1, resource);
        }),
      );
  });
  const json = {
    [resources]: encoded.map((content) => ({
      resource: { attributes: attributesJson(content.resource) },
      [scopes]: [{ scope: { name: content.scope }, [items]: content.items.map((item) => item.json) }],
    })),
  };
  return { protobuf, json: JSON.stringify(json) };
}

function scopeBytes(name: string): Uint8Array {
  return finish((writer) => {
    writer.tag(1, WireType.LengthDelimited).string(name);
  });
}

function recordBytes({ time, observed, name, attributes, body }: OtlpRecord): Uint8Array {
  return finish((writer) => {
    writer.tag(2, WireType.Varint).int32(9);
    if (body !== undefined) embed(writer, 5, valueBytes(body));
    writeAttributes(writer, 6, attributes);
    if (time !== undefined) writer.tag(1, WireType.Bit64).fixed64(time);
    if (observed !== undefined) writer.tag(11, WireType.Bit64).fixed64(observed);
    if (name !== undefined) writer.tag(12, WireType.LengthDelimited).string(name);
  });
}

function recordJson({ time, observed, name, attributes, body }: OtlpRecord): object {
  return {
    severityNumber: 9,
    ...timeJson('timeUnixNano', time),
    ...timeJson('observedTimeUnixNano', observed),
    ...(name === undefined ? {} : { eventName: name }),
    ...(body === undefined ? {} : { body: valueJson(body) }),
    attributes: attributesJson(attributes),
  };
}

function eventBytes({ time, name, attributes }: OtlpRecord): Uint8Array {
  return finish((writer) => {
    if (time !== undefined) writer.tag(1, WireType.Bit64).fixed64(time);
    if (name !== undefined) writer.tag(2, WireType.LengthDelimited).string(name);
    writeAttributes(writer, 3, attributes);
  });
}

const FIELD_OF_KIND = { gauge: 5, sum: 7 } as const;

function metricBytes({ name, kind, temporality, isMonotonic, points }: OtlpMetric): Uint8Array {
  return finish((writer) => {
    const data = finish((ofData) => {
      for (const point of points) embed(ofData, 1, pointBytes(point));
      if (temporality !== undefined) ofData.tag(2, WireType.Varint).int32(temporality);
      if (isMonotonic !== undefined) ofData.tag(3, WireType.Varint).bool(isMonotonic);
    });
    embed(writer, FIELD_OF_KIND[kind], data);
    writer.tag(1, WireType.LengthDelimited).string(name);
  });
}

function pointBytes({ time, start, attributes, int, double, flags }: OtlpPoint): Uint8Array {
  return finish((writer) => {
    writeAttributes(writer, 7, attributes);
    if (start !== undefined) writer.tag(2, WireType.Bit64).fixed64(start);
    if (time !== undefined) writer.tag(3, WireType.Bit64).fixed64(time);
    if (double !== undefined) writer.tag(4, WireType.Bit64).double(double);
    if (int !== undefined) writer.tag(6, WireType.Bit64).sfixed64(int);
    if (flags !== undefined) writer.tag(8, WireType.Varint).uint32(flags);
  });
}

function metricJson({ name, kind, temporality, isMonotonic, points }: OtlpMetric): object {
  const dataPoints = points.map(({ time, start, attributes, int, double, flags }) => ({
    ...timeJson('timeUnixNano', time),
    ...timeJson('startTimeUnixNano', start),
    ...(int === undefined ? {} : { asInt: String(int) }),
    ...(double === undefined ? {} : { asDouble: Number.isFinite(double) ? double : String(double) }),
    ...(flags === undefined ? {} : { flags }),
    attributes: attributesJson(attributes),
  }));
  const sum = { aggregationTemporality: temporality ?? 0, isMonotonic: isMonotonic ?? false };
  return { name, [kind]: { dataPoints, ...(kind === 'sum' ? sum : {}) } };
}

function timeJson(name: string, time: bigint | undefined): object {
  return time === undefined ? {} : { [name]: String(time) };
}

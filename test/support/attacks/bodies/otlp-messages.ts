import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { OtlpSignal } from '../../../../services/ingest/opentelemetry/reading/index.ts';
import type { Schema } from './shapes.ts';

/** A member of a message of OTLP: as JSON has it, with the number and the type that it has in protobuf. */
type Field = Schema & {
  readonly field?: number;
  readonly wire?: 'fixed64' | 'sfixed64' | 'double' | 'varint';
  readonly properties?: Readonly<Record<string, Field>>;
  readonly items?: Field;
};

const text = (field: number): Field => ({ field, type: 'string' });
const fixed = (field: number, wire: 'fixed64' | 'sfixed64' = 'fixed64'): Field => ({
  field,
  wire,
  type: 'string',
});
const whole = (field: number): Field => ({ field, wire: 'varint', type: 'integer' });
const yesOrNo = (field: number): Field => ({ field, wire: 'varint', type: 'boolean' });
const message = (field: number, properties: Readonly<Record<string, Field>>): Field => ({
  field,
  type: 'object',
  properties,
});
const list = (field: number, properties: Readonly<Record<string, Field>>): Field => ({
  field,
  type: 'array',
  items: message(field, properties),
});

const anyValue = (field: number): Field =>
  message(field, {
    stringValue: text(1),
    boolValue: yesOrNo(2),
    doubleValue: { field: 4, wire: 'double', type: 'number' },
    arrayValue: message(5, { values: list(1, { stringValue: text(1) }) }),
  });
const attributes = (field: number): Field => list(field, { key: text(1), value: anyValue(2) });

const ITEMS: Readonly<
  Record<OtlpSignal, readonly [resources: string, scopes: string, items: string, Field]>
> = {
  logs: [
    ...(['resourceLogs', 'scopeLogs', 'logRecords'] as const),
    list(2, {
      timeUnixNano: fixed(1),
      observedTimeUnixNano: fixed(11),
      severityText: text(3),
      body: anyValue(5),
      attributes: attributes(6),
      eventName: text(12),
    }),
  ],
  traces: [
    ...(['resourceSpans', 'scopeSpans', 'spans'] as const),
    list(2, {
      name: text(5),
      attributes: attributes(9),
      events: list(11, { timeUnixNano: fixed(1), name: text(2), attributes: attributes(3) }),
    }),
  ],
  metrics: [
    ...(['resourceMetrics', 'scopeMetrics', 'metrics'] as const),
    list(2, {
      name: text(1),
      description: text(2),
      sum: message(7, {
        dataPoints: list(1, {
          startTimeUnixNano: fixed(2),
          timeUnixNano: fixed(3),
          asInt: fixed(6, 'sfixed64'),
          attributes: attributes(7),
          flags: whole(8),
        }),
        aggregationTemporality: whole(2),
        isMonotonic: yesOrNo(3),
      }),
    }),
  ],
};

/** The export request of a signal (opentelemetry-proto 1.x), as far as senders of evaluations fill it. */
export function messageOf(signal: OtlpSignal): Field {
  const [resources, scopes, items, field] = ITEMS[signal];
  return message(0, {
    [resources]: list(1, {
      resource: message(1, { attributes: attributes(1) }),
      [scopes]: list(2, { scope: message(1, { name: text(1), version: text(2) }), [items]: field }),
    }),
  });
}

type Members = Readonly<Record<string, unknown>>;

/** A body with two evaluations of one instance at different times, which flagmeter recognises if it comes again. */
export function honestBody(signal: OtlpSignal, now: bigint): Members {
  const [resources, scopes, items] = ITEMS[signal];
  const resource = { attributes: [attribute('service.instance.id', 'one'), ...NAMES] };
  const scope = { name: 'a scope', version: '1' };
  return { [resources]: [{ resource, [scopes]: [{ scope, [items]: itemsOf(signal, now) }] }] };
}

const MS = 1_000_000n;
const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const NAMES = [
  attribute('service.name', 'shop'),
  attribute('service.namespace', 'eu'),
  attribute('deployment.environment.name', 'production'),
];

function itemsOf(signal: OtlpSignal, now: bigint): Members[] {
  const of = { attributes: [attribute('feature_flag.key', 'basket'), ...RESULT] };
  const times = [now, now + MS].map(String);
  if (signal === 'logs')
    return times.map((timeUnixNano) => ({ timeUnixNano, eventName: 'feature_flag.evaluation', ...of }));
  if (signal === 'traces')
    return times.map((timeUnixNano) => ({
      name: 'a span',
      events: [{ timeUnixNano, name: 'feature_flag.evaluation', ...of }],
    }));
  const startTimeUnixNano = String(now - MS);
  const dataPoints = [{ startTimeUnixNano, timeUnixNano: String(now), asInt: '5', ...of }];
  const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints };
  return [{ name: 'feature_flag.evaluation_success_total', sum }];
}

const RESULT = [
  attribute('feature_flag.result.variant', 'blue'),
  attribute('feature_flag.result.reason', 'static'),
  attribute('feature_flag.provider.name', 'flagd'),
];

const UNKNOWN: Field = { field: 1000, wire: 'varint' };

/** The protobuf form of a message. Members that its description lacks become unknown fields. */
export function encodeProtobuf(value: unknown, { properties = {} }: Field): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  for (const [name, member] of Object.entries(value ?? {})) {
    const field = properties[name] ?? UNKNOWN;
    if (Array.isArray(member)) writer.raw(encodeList(member as unknown[], field));
    else writeField(writer, member, field);
  }
  return new Uint8Array(writer.finish());
}

/** Many bodies hold the same list. */
const lists = new WeakMap<readonly unknown[], Uint8Array>();

function encodeList(list: readonly unknown[], field: Field): Uint8Array {
  const known = lists.get(list);
  if (known !== undefined) return known;
  const writer = new BinaryWriter();
  for (const item of list) writeField(writer, item, field);
  const bytes = writer.finish();
  lists.set(list, bytes);
  return bytes;
}

function writeField(writer: BinaryWriter, value: unknown, { field = 0, wire, items, ...of }: Field): void {
  if (items !== undefined || of.properties !== undefined) {
    writer.tag(field, WireType.LengthDelimited).bytes(encodeProtobuf(value, items ?? of));
  } else if (wire === 'varint') writer.tag(field, WireType.Varint).int32(Number(value));
  else if (wire === 'double') writer.tag(field, WireType.Bit64).double(Number(value));
  else if (wire !== undefined) {
    // A time that is grown to a long text has no such form.
    const bits = BigInt.asUintN(63, BigInt(/^\d{1,20}$/.test(String(value)) ? String(value) : 0));
    writer.tag(field, WireType.Bit64)[wire](bits);
  } else writer.tag(field, WireType.LengthDelimited).string(String(value));
}

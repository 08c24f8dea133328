import { randomUUID } from 'node:crypto';
import { type Key, appNameOf, featureNameOf } from './keys.ts';
import { headOf } from './request-head.ts';
import {
  type CountSlots,
  SEQUENCE_DIGITS,
  SlotWriter,
  type Sums,
  fillCounts,
  movedBy,
  writeCounts,
  writeSequence,
} from './slots.ts';
import { toApplication, toOrigin } from '../../edge-application.ts';
import { edgeHeaders } from '../../edge-headers.ts';

/** A request that can be sent again and again. */
export type LoadBody = {
  readonly bytes: Buffer;
  /** Fills in request number `sequence` of a run, from `sender`; returns its numbers. */
  fill(sequence: number, sender: Buffer): Sums;
};

/** What the bodies of all formats are made of. */
export type BodyBasis = {
  readonly url: URL;
  readonly token: string;
  readonly keys: readonly Key[];
  readonly startedAt: Date;
  readonly seed: number;
};

export type BodyOptions = BodyBasis & {
  /**
   * If defined, the request has what Edge sends beside the counts: headers, unknown metadata in each row, and the registration of
   * this instance of its first key's application.
   */
  readonly instance: string | undefined;
  /** Whether the body has impact metrics of its first key's application and feature. */
  readonly measures: boolean;
  /** The timestamps spread over this time before the start. */
  readonly spanMs: number;
};

const METADATA_OF_EDGE = `,${JSON.stringify(toOrigin()).slice(1, -1)}`;
const SENDER = '-'.repeat(36);
/** Multiples of the golden ratio spread evenly over 0 to 1, however many there are. */
const GOLDEN_RATIO = 0.618_033_988_749_895;

/** A new name for a connection, because each connection simulates a different relay. */
export function createSender(): Buffer {
  return Buffer.from(randomUUID());
}

/**
 * A whole HTTP request with headers, serialised once. Before each use its fixed-width slots are filled in place, which costs 7
 * us for 480 rows; serialising again costs 900 us. No two requests are equal: the fraction of the first timestamp is the number
 * of the request, and each run has new senders.
 */
export class Body implements LoadBody {
  readonly bytes: Buffer;
  readonly #rows: readonly CountSlots[];
  readonly #sequenceAt: number;
  readonly #senderAt: number;
  readonly #seed: number;

  constructor(options: BodyOptions) {
    const { keys, startedAt, spanMs, instance } = options;
    const writer = new RowWriter(instance === undefined ? '' : METADATA_OF_EDGE);
    const rows = keys.map((key, index) => {
      const at = startedAt.getTime() - Math.floor(((index * GOLDEN_RATIO) % 1) * spanMs);
      return writeRow(writer, key, new Date(at));
    });
    if (rows.length === 0) throw new RangeError('a body has rows');
    const beginning = `{"applications":[${applicationOf(options)}],"metrics":[`;
    const json = Buffer.from(`${beginning}${writer.text}]${impactOf(options)}}`, 'latin1');
    const headers =
      instance === undefined
        ? { 'content-type': 'application/json', 'unleash-connection-id': SENDER }
        : edgeHeaders('unleash-edge', SENDER);
    const head = headOf(options, { 'content-length': json.length, ...headers });
    const shift = head.length + beginning.length;
    this.bytes = Buffer.concat([head, json]);
    this.#rows = rows.map((row) => movedBy(shift, row));
    this.#sequenceAt = writer.sequenceAt + shift;
    this.#senderAt = head.lastIndexOf(SENDER);
    this.#seed = options.seed;
  }

  fill(sequence: number, sender: Buffer): Sums {
    const { bytes } = this;
    sender.copy(bytes, this.#senderAt);
    writeSequence(bytes, this.#sequenceAt, sequence);
    return fillCounts(bytes, this.#rows, { sequence, seed: this.#seed });
  }
}

/** Writes rows. The first one also has room for the number of the request. */
class RowWriter extends SlotWriter {
  sequenceAt = -1;
  /** Members at the end of each row. */
  readonly metadata: string;

  constructor(metadata: string) {
    super();
    this.metadata = metadata;
  }
}

function writeRow(writer: RowWriter, { feature, app, environment }: Key, at: Date): CountSlots {
  const names = { featureName: featureNameOf(feature), appName: appNameOf(app), environment };
  const second = at.toISOString().slice(0, 19);
  if (writer.text !== '') writer.text += ',';
  writer.text += `${JSON.stringify(names).slice(0, -1)},"timestamp":"${second}.`;
  // Nine digits, as relays send.
  const fraction = writer.slot('0'.repeat(SEQUENCE_DIGITS));
  if (writer.sequenceAt < 0) writer.sequenceAt = fraction;
  writer.text += 'Z",';
  const slots = writeCounts(writer, feature);
  writer.text += `${writer.metadata}}`;
  return slots;
}

/** The registration of the first key's application, as Edge forwards it; no text if the body registers none. */
function applicationOf({ instance, keys: [key], startedAt }: BodyOptions): string {
  if (instance === undefined || key === undefined) return '';
  const registration = {
    appName: appNameOf(key.app),
    environment: key.environment,
    instanceId: instance,
    startedAt: startedAt.getTime(),
    strategies: ['default', 'flexibleRollout', 'userWithId'],
    origin: { sdkVersion: 'unleash-client-node:6.7.0', sdkType: 'backend' },
  };
  return JSON.stringify(toApplication(registration, { appName: 'unleash-edge', instanceId: 'edge' }));
}

const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, '+Inf'];

/** The member `impactMetrics`, as SDKs send it: two arms of the first key's feature; no text if the body has none. */
function impactOf({ measures, keys: [key] }: BodyOptions): string {
  if (!measures || key === undefined) return '';
  const labels = ['enabled', 'disabled'].map((arm) => ({
    [featureNameOf(key.feature)]: arm,
    appName: appNameOf(key.app),
    environment: key.environment,
  }));
  const buckets = BOUNDS.map((le, index) => ({ le, count: index }));
  const impactMetrics = [
    {
      name: 'purchases',
      help: 'Completed purchases',
      type: 'counter',
      samples: labels.map((each) => ({ labels: each, value: 17 })),
    },
    {
      name: 'response_seconds',
      help: 'Response times',
      type: 'histogram',
      samples: labels.map((each) => ({ labels: each, count: 11, sum: 12.5, buckets })),
    },
  ];
  return `,"impactMetrics":${JSON.stringify(impactMetrics)}`;
}

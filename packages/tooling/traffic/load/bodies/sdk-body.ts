import type { BodyBasis, LoadBody } from './body.ts';
import { appNameOf, featureNameOf } from './keys.ts';
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

const INSTANCE = '-'.repeat(36);
const INTERVAL_MS = 60_000;

/**
 * A whole HTTP request of an SDK that posts directly, serialised once: the bucket of an instance of the first key's application, with the
 * counts of each feature of the keys. The instance is the sender, and the end of the bucket has the number of the request.
 */
export class SdkBody implements LoadBody {
  readonly bytes: Buffer;
  readonly #rows: readonly CountSlots[];
  readonly #sequenceAt: number;
  readonly #instancesAt: readonly number[];
  readonly #seed: number;

  constructor(options: BodyBasis) {
    const { keys, startedAt, seed } = options;
    const [first] = keys;
    if (first === undefined) throw new RangeError('a body has toggles');
    const appName = appNameOf(first.app);
    const writer = new SlotWriter();
    writer.text = `${JSON.stringify({
      appName,
      instanceId: INSTANCE,
      connectionId: INSTANCE,
      sdkVersion: 'unleash-client-node:6.12.0',
      platformName: 'node',
      platformVersion: 'v24.15.0',
      yggdrasilVersion: null,
      specVersion: '5.2.2',
    }).slice(
      0,
      -1,
    )},"bucket":{"start":"${new Date(startedAt.getTime() - INTERVAL_MS).toISOString()}","stop":"`;
    writer.text += `${startedAt.toISOString().slice(0, 19)}.`;
    const sequenceAt = writer.slot('0'.repeat(SEQUENCE_DIGITS));
    writer.text += 'Z","toggles":{';
    // A feature may be among the keys once for each application.
    const features = [...new Set(keys.map(({ feature }) => feature))];
    const rows = features.map((feature, index) => {
      writer.text += `${index === 0 ? '' : ','}"${featureNameOf(feature)}":{`;
      const slots = writeCounts(writer, feature);
      writer.text += '}';
      return slots;
    });
    const json = Buffer.from(`${writer.text}}}}`, 'latin1');
    const head = headOf(options, {
      'Content-Type': 'application/json',
      'Content-Length': json.length,
      'unleash-appname': appName,
      'unleash-connection-id': INSTANCE,
      'unleash-sdk': 'unleash-client-node:6.12.0',
      'unleash-interval': INTERVAL_MS,
    });
    this.bytes = Buffer.concat([head, json]);
    this.#rows = rows.map((row) => movedBy(head.length, row));
    this.#sequenceAt = sequenceAt + head.length;
    this.#instancesAt = placesOf(INSTANCE, this.bytes);
    this.#seed = seed;
  }

  fill(sequence: number, sender: Buffer): Sums {
    for (const at of this.#instancesAt) sender.copy(this.bytes, at);
    writeSequence(this.bytes, this.#sequenceAt, sequence);
    return fillCounts(this.bytes, this.#rows, { sequence, seed: this.#seed });
  }
}

function placesOf(text: string, bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) places.push(at);
  return places;
}

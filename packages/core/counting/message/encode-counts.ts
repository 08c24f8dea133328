import type { Refusal } from '../refusals.ts';
import { encodeReasons } from '../evaluations/reason-message.ts';
import { encodeUnknown } from '../evaluations/unknown-message.ts';
import { encodeImpact } from '../impact/impact-message.ts';
import { encodePoints } from '../series/series-point.ts';
import { ByteWriter } from '../encoding/byte-writer.ts';
import { encodeSpan } from './bucket-span.ts';
import { writeRow } from './rows.ts';
import { COUNTS_VERSION, type CountsEnvelope } from './counts-message.ts';
import type { ReadableSums } from '../sums/readable-sums.ts';

/** Writes messages. One encoder serves a process and uses its buffer again. */
export class CountsEncoder {
  readonly #writer = new ByteWriter();

  encode(envelope: CountsEnvelope, sums: ReadableSums, refusals: readonly Refusal[]): Buffer {
    const writer = this.#writer;
    const {
      batchId,
      receivedAt,
      tokenId,
      owner,
      isTrusted,
      traceparent,
      received,
      impact,
      reasons,
      points = [],
      span,
    } = envelope;
    const head = {
      v: COUNTS_VERSION,
      id: batchId,
      at: receivedAt,
      token: tokenId,
      trusted: isTrusted === true ? true : undefined,
      trace: traceparent,
      received,
      refused: refusals.map(toTuple),
      // Absent in most messages.
      impact: impact === undefined || impact.received === 0 ? undefined : encodeImpact(impact),
      unknown: sums.unknown.size === 0 ? undefined : encodeUnknown(sums),
      reasons: reasons === undefined || reasons.count === 0 ? undefined : encodeReasons(reasons),
      points: points.length === 0 ? undefined : encodePoints(points),
      owner: points.length === 0 ? undefined : owner,
      span: span === undefined ? undefined : encodeSpan(span),
    };
    writer.text(`${JSON.stringify(head).slice(0, -1)},"names":`);
    sums.writeNames(writer);
    writer.text(`,"groups":${JSON.stringify(triplesOf(sums))}}\n`);
    for (let row = 0; row < sums.rowCount; row += 1) writeRow(writer, sums, row);
    return writer.flush();
  }
}

function triplesOf(sums: ReadableSums): number[] {
  const triples: number[] = [];
  for (let group = 0; group < sums.groupCount; group += 1)
    triples.push(sums.appOf(group), sums.environmentOf(group), sums.hourOf(group));
  return triples;
}

function toTuple({ kind, reason, environment, appName, featureName, metrics, sample }: Refusal): unknown[] {
  return [kind, reason, environment, appName, featureName, metrics, sample];
}

import { REFUSAL_REASONS, REFUSED_KINDS, type Refusal } from '../refusals.ts';
import { decodeReasons } from '../evaluations/reason-message.ts';
import { decodeUnknown } from '../evaluations/unknown-message.ts';
import { decodeImpact } from '../impact/impact-message.ts';
import { NO_IMPACT } from '../impact/impact-sample.ts';
import { MAX_NAME_LENGTH } from '#base/schema';
import { decodePoints } from '../series/series-point.ts';
import { readNumbers } from '../encoding/byte-writer.ts';
import { decodeSpan } from './bucket-span.ts';
import { reportsOf } from './rows.ts';
import { COUNTS_VERSION, type CountsMessage, refusedOf } from './counts-message.ts';
import { MAX_HOUR, isCount, isOneOf, isRecord, isStorable, isText } from '../encoding/guards.ts';

const NEWLINE = 0x0a;

/** The message, or why the bytes are not a message. Everything that later steps rely on is checked here. */
export function decodeCounts(value: Uint8Array | null): { message: CountsMessage } | { problem: string } {
  if (value === null) return { problem: 'no value' };
  const newline = value.indexOf(NEWLINE);
  const end = newline < 0 ? value.length : newline;
  let text: string;
  let head: unknown;
  try {
    text = UTF8.decode(value.subarray(0, end));
    head = JSON.parse(text);
  } catch {
    return { problem: 'not JSON' };
  }
  // In ASCII, the number of bytes equals the number of characters.
  const isName = text.length === end && isPlain(text) ? isOfStorableLength : isStorable;
  return readMessage(head, readNumbers(value, end + 1), isName);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Whether every string in this ASCII JSON is printable: without escapes, DEL is the only control character that JSON allows.
 * Then only the length of a name needs a check. Checking each character took a seventh of the decoding time.
 */
function isPlain(json: string): boolean {
  return !json.includes('\\') && !json.includes('\u007f');
}

function readMessage(
  head: unknown,
  rows: readonly number[] | undefined,
  isName: (value: unknown) => value is string,
): { message: CountsMessage } | { problem: string } {
  if (!isRecord(head)) return { problem: 'not an object' };
  const { v, id, at, token, trace, received, names, groups, refused, impact: encoded } = head;
  const owner = head['owner'] ?? token;
  if (v !== COUNTS_VERSION) return { problem: 'unknown version' };
  if (!isStorable(id) || !isStorable(token) || !isStorable(owner)) return { problem: 'bad id or token' };
  if (!isTime(at) || !isCount(received)) return { problem: 'bad time or number received' };
  if (!Array.isArray(names) || !names.every(isName)) return { problem: 'bad names' };
  if (!isCounts(groups) || !groupsFit(groups, names.length)) return { problem: 'bad groups' };
  if (rows === undefined) return { problem: 'bad rows' };
  const counted = reportsOf(rows, names.length, groups.length / 3);
  if (counted === undefined) return { problem: 'bad rows' };
  const refusals = readRefusals(refused);
  if (refusals === undefined) return { problem: 'bad refusals' };
  const points = decodePoints(head['points'] ?? [], names.length);
  if (points === undefined) return { problem: 'bad points' };
  if (counted + points.length + refusedOf(refusals, 'metric') !== received)
    return { problem: 'received is not counted + refused' };
  const impact = encoded === undefined ? NO_IMPACT : decodeImpact(encoded);
  if (impact === undefined) return { problem: 'bad samples' };
  if (encoded !== undefined && impact.samples.length + refusedOf(refusals, 'sample') !== impact.received)
    return { problem: 'received samples are not counted + refused' };
  const outcomes = readOutcomes(head, { names: names.length, groups: groups.length / 3 });
  if ('problem' in outcomes) return outcomes;
  // Every member is listed, because spreading the object took longer than decoding ten rows.
  return {
    message: {
      batchId: id,
      receivedAt: at,
      tokenId: token,
      owner,
      isTrusted: head['trusted'] === true,
      traceparent: typeof trace === 'string' ? trace : undefined,
      received,
      names,
      groups,
      rows,
      refusals,
      impact,
      unknown: outcomes.unknown,
      reasons: outcomes.reasons,
      points,
      span: outcomes.span,
    },
  };
}

/** What only evaluations of OpenTelemetry, or only buckets of SDKs have. */
function readOutcomes(
  { unknown: listed = [], reasons: why, span: covered }: Readonly<Record<string, unknown>>,
  place: { readonly names: number; readonly groups: number },
): Pick<CountsMessage, 'unknown' | 'reasons' | 'span'> | { readonly problem: string } {
  const unknown = decodeUnknown(listed, place);
  if (unknown === undefined) return { problem: 'bad unknown results' };
  const span = covered === undefined ? undefined : decodeSpan(covered);
  if (covered !== undefined && span === undefined) return { problem: 'bad span' };
  if (why === undefined) return { unknown, reasons: undefined, span };
  const reasons = decodeReasons(why, place);
  return reasons === undefined ? { problem: 'bad reasons' } : { unknown, reasons, span };
}

function groupsFit(groups: readonly number[], names: number): boolean {
  if (groups.length % 3 !== 0) return false;
  for (let i = 0; i < groups.length; i += 3) {
    if (Number(groups[i]) >= names || Number(groups[i + 1]) >= names || Number(groups[i + 2]) > MAX_HOUR)
      return false;
  }
  return true;
}

const MAX_TIME_MS = MAX_HOUR * 3_600_000;

function readRefusals(refused: unknown): Refusal[] | undefined {
  if (!Array.isArray(refused)) return undefined;
  const refusals: Refusal[] = [];
  for (const item of refused as unknown[]) {
    if (!Array.isArray(item)) return undefined;
    const [kind, reason, environment, appName, featureName, metrics, sample] = item as unknown[];
    if (!isOneOf(REFUSED_KINDS, kind) || !isOneOf(REFUSAL_REASONS, reason)) return undefined;
    if (!isText(environment) || !isText(appName) || !isText(featureName) || !isText(sample)) return undefined;
    if (!isCount(metrics)) return undefined;
    refusals.push({ kind, reason, environment, appName, featureName, metrics, sample });
  }
  return refusals;
}

function isOfStorableLength(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME_LENGTH;
}

/** Whether ClickHouse can store this receipt time. */
function isTime(value: unknown): value is number {
  return isCount(value) && value <= MAX_TIME_MS;
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isCount);
}

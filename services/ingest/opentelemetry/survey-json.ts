import type { Steps } from '#core/counting';
import { HttpProblem } from '#base/http';

/** OpenTelemetry defines about a hundred. For each name that is new to it, the parser makes another class of objects. */
const MAX_NAMES = 1000;
/** Honest bodies have one object or list in 25 bytes. Empty ones cost the parser most for their length. */
const [FEW_NESTED, BYTES_PER_NESTED] = [1000, 16] as const;
const BYTES_OF_STEP = 16 * 1024;

const [QUOTE, BACKSLASH, COLON, OBJECT, LIST] = Buffer.from('"\\:{[');

/** Of names, and of objects and lists beside those for which there are bytes. */
type SurveyLimits = { readonly names: number; readonly nested: number };
const OF_BODY: SurveyLimits = { names: MAX_NAMES, nested: FEW_NESTED };

type Text = { readonly from: number; readonly to: number };
const NO_TEXT: Text = { from: 0, to: 0 };

/**
 * Throws a 400 for a body that would take `JSON.parse` far longer than others of its length, and nothing else may run meanwhile:
 * docs/develop/decisions/core/receiving.md#214-survey-json-of-opentelemetry-before-it-is-parsed. What is no JSON is left to the parser.
 */
export function* surveyJson(body: Buffer, limits = OF_BODY): Steps<void> {
  const names = new Set<number>();
  let nested = 0;
  let text = NO_TEXT;
  let nextStep = BYTES_OF_STEP;
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i];
    if (byte === QUOTE) {
      text = { from: i + 1, to: endOfText(body, i + 1) };
      i = text.to;
    } else if (byte === COLON) {
      names.add(hashOf(body, text));
      // Of several colons in a row, only one hashes the text.
      text = NO_TEXT;
    } else if (byte === OBJECT || byte === LIST) nested += 1;
    if (i < nextStep) continue;
    nextStep = i + BYTES_OF_STEP;
    check({ bytes: body.length, nested, names }, limits);
    yield;
  }
  check({ bytes: body.length, nested, names }, limits);
}

function endOfText(body: Buffer, from: number): number {
  let i = from;
  for (; i < body.length; i += 1) {
    const byte = body[i];
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) i += 1;
  }
  return i;
}

function hashOf(body: Buffer, { from, to }: Text): number {
  let hash = 0;
  for (let i = from; i < to; i += 1) hash = (Math.imul(hash, 31) + (body[i] ?? 0)) | 0;
  return hash;
}

type Surveyed = { readonly bytes: number; readonly nested: number; readonly names: ReadonlySet<number> };

function check({ bytes, nested, names }: Surveyed, limits: SurveyLimits): void {
  if (nested > limits.nested + bytes / BYTES_PER_NESTED) throw tooDear('objects and lists for its length');
  if (names.size > limits.names) throw tooDear('different names of members');
}

function tooDear(what: string): HttpProblem {
  const message = `has too many ${what}`;
  return new HttpProblem(400, `The body ${message}.`, {
    details: [{ path: '', message }],
    bodyProblem: 'schema',
  });
}

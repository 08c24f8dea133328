import { type Steps, inOneGo } from '#core/counting';
import { parseJson } from '#base/http';
import type { ReadOptions } from '../body-forms.ts';
import { MAX_SHORT_BYTES } from '../bodies/long-bodies.ts';
import { hasSnakeName } from './camel-names.ts';
import {
  type KnownBody,
  type KnownLimits,
  type KnownPoints,
  type OtlpEncoding,
  createKnownJsonReader,
  createKnownReader,
} from './reading/index.ts';
import { surveyJson } from './survey-json.ts';

/** Counts a body of metrics whose points are known; undefined if the general path has to decide. */
export type ReadKnownPoints = (
  body: Buffer,
  options: ReadOptions,
  limits: KnownLimits,
) => Steps<KnownBody | undefined>;

/** A longer body is read in turns, although its points may be known. */
export const MAX_AT_ONCE_BYTES = 256 * 1024;
/** Points that say something new take 2 ms, and the applications of resources as long. */
const AT_ONCE: KnownLimits = { newPoints: 512, resources: 64 };
/** A step is as long as 64 points. */
const MAX_STEPS_AT_ONCE = 100;
const IN_TURNS: KnownLimits = { newPoints: Infinity, resources: Infinity };

/** Undefined if that would take more than a few milliseconds, too. */
export function readAtOnce(read: ReadKnownPoints, body: Buffer, options: ReadOptions): KnownBody | undefined {
  if (body.length > MAX_AT_ONCE_BYTES) return undefined;
  const steps = read(body, options, AT_ONCE);
  for (let count = 0; count < MAX_STEPS_AT_ONCE; count += 1) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
  steps.return(undefined);
  return undefined;
}

/** Undefined for a body that is to be read at once, too. */
export function* readInTurns(
  read: ReadKnownPoints,
  body: Buffer,
  options: ReadOptions,
): Steps<KnownBody | undefined> {
  return body.length > MAX_AT_ONCE_BYTES ? yield* read(body, options, IN_TURNS) : undefined;
}

export function createReadKnownPoints(encoding: OtlpEncoding, known: KnownPoints): ReadKnownPoints {
  if (encoding === 'protobuf') return createKnownReader(known);
  const readKnownJson = createKnownJsonReader(known);
  return function* read(body, options, limits) {
    const isSurveyed = body.length > MAX_SHORT_BYTES;
    const parse = (part: Buffer, isRest: boolean): unknown => {
      // The attributes of known points have none, and a search of the whole body takes a twentieth of the time.
      if (hasSnakeName(part)) throw new TypeError('a name that the general path replaces');
      if (isSurveyed) inOneGo(surveyJson(part, isRest ? OF_REST : OF_OTHERS));
      return parseJson(part);
    };
    return yield* readKnownJson(body, options, { limits, parse });
  };
}

/** Together, and with what points have, less than a body may have: it is surveyed in parts, and points are not. */
const OF_REST = { names: 500, nested: 1000 } as const;
const OF_OTHERS = { names: 400, nested: 0 } as const;

import { CountSums, ReasonSums, type Steps, inOneGo } from '#core/counting';
import { parseJson } from '#base/http';
import type { ReadOptions } from '../body-forms.ts';
import { MAX_SHORT_BYTES } from '../bodies/long-bodies.ts';
import { hasSnakeName } from './camel-names.ts';
import {
  type HowKnown,
  type KnownBody,
  type KnownPoints,
  type OtlpEncoding,
  createKnownJsonReader,
  createKnownReader,
} from './reading/index.ts';
import { surveyJson } from './survey-json.ts';

/** Counts a body of metrics whose points are known; undefined if the general path has to decide. */
type ReadBody = (body: Buffer, options: ReadOptions, how: HowKnown) => Steps<KnownBody | undefined>;

export type ReadKnownPoints = {
  /** Undefined if it would take more than a few milliseconds, too. The counts are valid until the next call. */
  readonly atOnce: (body: Buffer, options: ReadOptions) => KnownBody | undefined;
  /** Undefined for a body that is to be read at once, too. */
  readonly inTurns: (body: Buffer, options: ReadOptions) => Steps<KnownBody | undefined>;
};

/** A longer body is read in turns, although its points may be known. */
export const MAX_AT_ONCE_BYTES = 256 * 1024;
/** Points that say something new take 1 ms, and the applications of resources as long. */
const AT_ONCE = { mostNew: 256, mostResources: 64 } as const;
/** A step is as long as 64 known points, or as many empty resources or scopes. All take 5 ms at most. */
const MAX_STEPS_AT_ONCE = 64;
const IN_TURNS = { mostNew: Infinity, mostResources: Infinity } as const;

export function createReadKnownPoints(encoding: OtlpEncoding, known: KnownPoints): ReadKnownPoints {
  const read = encoding === 'protobuf' ? createKnownReader(known) : createJsonReader(known);
  // To create the tables of sums takes a tenth of the time of a short body.
  const atOnce = { ...AT_ONCE, sums: createSums() };
  return {
    atOnce(body, options) {
      if (body.length > MAX_AT_ONCE_BYTES) return undefined;
      const steps = read(body, options, atOnce);
      for (let count = 0; count < MAX_STEPS_AT_ONCE; count += 1) {
        const step = steps.next();
        if (step.done === true) return step.value;
      }
      steps.return(undefined);
      return undefined;
    },
    *inTurns(body, options) {
      if (body.length <= MAX_AT_ONCE_BYTES) return undefined;
      return yield* read(body, options, { ...IN_TURNS, sums: createSums() });
    },
  };
}

function createSums(): HowKnown['sums'] {
  return { counts: new CountSums(), reasons: new ReasonSums() };
}

function createJsonReader(known: KnownPoints): ReadBody {
  const readKnownJson = createKnownJsonReader(known);
  return function* read(body, options, how) {
    const isSurveyed = body.length > MAX_SHORT_BYTES;
    const parse = (part: Buffer, isRest: boolean): unknown => {
      // The attributes of known points have none, and a search of the whole body takes a twentieth of the time.
      if (hasSnakeName(part)) throw new TypeError('a name that the general path replaces');
      if (isSurveyed) inOneGo(surveyJson(part, isRest ? OF_REST : OF_OTHERS));
      return parseJson(part);
    };
    return yield* readKnownJson(body, options, { ...how, parse });
  };
}

/** Together, and with what points have, less than a body may have: it is surveyed in parts, and points are not. */
const OF_REST = { names: 500, nested: 1000 } as const;
const OF_OTHERS = { names: 400, nested: 0 } as const;

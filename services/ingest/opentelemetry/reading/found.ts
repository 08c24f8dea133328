import { type Evaluation, type StepLength, showValue } from '#core/counting';
import type { AttributeValue, Attributes } from './mapping.ts';
import type { BodyPlace, Cursor } from './place.ts';

/** Why an evaluation is refused, and the value that shows it. */
export type Problem = NonNullable<Evaluation['problem']>;

/** Names a scope; or says why its points are refused. */
export type Scope = () => string | Problem;

/** An evaluation that a record or span event tells of, or several that a data point has counted. */
export type Found = {
  readonly place: BodyPlace;
  /** Epoch milliseconds, with a fraction; 0 if the sender does not say. */
  readonly at: number;
  readonly attributes: Attributes;
  /** The value in the body of a record. */
  readonly body?: AttributeValue;
  /** Whether it is an exception that stands for the evaluation which failed. */
  readonly isFailure?: boolean;
  /** Of a data point only. */
  readonly point?: FoundPoint;
};

export type FoundPoint = {
  readonly metric: string;
  /** The start of its interval, epoch milliseconds; 0 if the sender does not say. */
  readonly startedAt: number;
  /** NaN if it is none. */
  readonly value: number;
  readonly kind: 'delta' | 'cumulative' | 'other';
  /** Of a cumulative point only, see `seriesOfPoint`. */
  readonly series?: string | Problem | undefined;
};

export type FoundOfResource = {
  readonly resource: Attributes;
  readonly found: readonly Found[];
};

/** What a body holds. Only resources with evaluations are listed. */
export type FoundInBody = {
  readonly resources: FoundOfResource[];
  /** Log records, spans or metrics without evaluations. */
  ignored: number;
  readonly unclear: Unclear;
};

/** What names a flag, but is not counted because it is not clear that it is an evaluation. */
export class Unclear {
  count = 0;
  /** The first one, short and safe to show. */
  example = '';

  add(name: string): void {
    if (this.count === 0) this.example = showValue('name', name);
    this.count += 1;
  }
}

/**
 * More than the 8,192 items that a collector sends at once by default, and low enough that a body of tiny points costs no more than others.
 */
export const MAX_EVALUATIONS = 10_000;

/** Adds up the evaluations of a body, up to the limit. */
export class Budget {
  #left = MAX_EVALUATIONS;

  /** Throws a TooManyEvaluations if there is no room. */
  add(found: Found[], one: Found): void {
    if (this.#left === 0) throw new TooManyEvaluations();
    this.#left -= 1;
    found.push(one);
  }
}

/** Where the evaluations of a resource are added. */
export type Into = {
  readonly found: Found[];
  readonly budget: Budget;
  readonly unclear: Unclear;
  readonly cursor: Cursor;
  readonly scope: Scope;
  readonly length: StepLength;
};

export class TooManyEvaluations extends Error {
  override readonly name = 'TooManyEvaluations';
  override readonly message = `The body has more than ${MAX_EVALUATIONS} evaluations. Send it in smaller parts.`;
}

/** The body is not what the protocol defines. The message is safe to show. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
}

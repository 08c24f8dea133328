import { randomUUID } from 'node:crypto';
import type { BodyProblem } from './body-problems.ts';

/** Names of errors by status (docs/use/senders/contract.md#errors). */
const NAMES = {
  400: 'ValidationError',
  401: 'AuthenticationRequired',
  403: 'NoAccessError',
  404: 'NotFoundError',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  409: 'NameExistsError',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'ContentTypeerror',
  417: 'ExpectationFailed',
  428: 'PreconditionRequired',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'InternalError',
  501: 'NotImplemented',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
} as const;

/** RFC 9110 requires a challenge in every 401. Browsers ask people for a password only with the schemes Basic and Digest. */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="flagmeter"' };

export type ProblemStatus = keyof typeof NAMES;

export type ProblemDetail = { readonly path?: string; readonly message: string };

export type ProblemExtras = {
  readonly details?: readonly ProblemDetail[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON pointer of what is wrong in a body, if no detail says it. */
  readonly place?: string;
  /** Why a body is not accepted, if its status does not say it. */
  readonly bodyProblem?: BodyProblem;
  readonly cause?: unknown;
};

/** An error answer. Any code below the error middleware may throw it. The client sees its message. */
export class HttpProblem extends Error {
  readonly status: ProblemStatus;
  readonly details: readonly ProblemDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyProblem: BodyProblem | undefined;
  readonly place: string | undefined;

  constructor(status: ProblemStatus, message: string, extras: ProblemExtras = {}) {
    super(message, { cause: extras.cause });
    this.name = NAMES[status];
    this.status = status;
    this.details = extras.details;
    this.bodyProblem = extras.bodyProblem;
    this.place = extras.place;
    this.headers = { ...(status === 401 ? CHALLENGE : {}), ...extras.headers };
  }
}

/** The error body (docs/use/senders/contract.md#errors). */
export type ProblemBody = {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly details?: readonly ProblemDetail[];
};

export function problemBody({ name, message, details }: HttpProblem): ProblemBody {
  return { id: randomUUID(), name, message, ...(details === undefined ? {} : { details }) };
}

import { say } from '#base/words';

/** Why there is no answer, and what the reader can do about it. */
export type Problem = {
  /** Undefined without an answer of the server. */
  readonly status: number | undefined;
  /** Which error it is, for example `ApprovalRequired`; undefined without an answer of flagmeter. */
  readonly name: string | undefined;
  readonly message: string;
  readonly advice: string;
  /** What is wrong with which member of the request, for example `constraints 1 value must be a number`. */
  readonly details: readonly string[];
  /** Whether the same request may succeed later. */
  readonly isTemporary: boolean;
};

const ADVICE: Readonly<Record<number, string>> = {
  400: 'Change the filters, or reload the page if flagmeter was updated.',
  403: 'Sign in with a token that has this permission.',
  404: 'Check the link, or go back to the list.',
  409: 'Nothing was changed.',
  412: 'Nothing was changed. What you see now is new: look at it, then decide again.',
  429: 'The console tries again by itself.',
  503: 'The console tries again by itself. If it stays, look at /ready and /ready/admin, and at the log of flagmeter.',
};

const TEMPORARY = [408, 429, 500, 502, 503, 504];

export function problemOf(status: number, body: unknown): Problem {
  const details = detailsIn(body);
  return {
    status,
    name: textIn(body, 'name'),
    message: textIn(body, 'message') ?? `The server answered ${status}.`,
    advice: details.length > 0 ? '' : (ADVICE[status] ?? 'Look at the log of flagmeter.'),
    details,
    isTemporary: TEMPORARY.includes(status),
  };
}

const withoutAnswer = (message: string, advice: string): Problem => ({
  status: undefined,
  name: undefined,
  message,
  advice,
  details: [],
  isTemporary: true,
});

/** No answer: the network, the process or the deadline. */
export function problemOfSilence(isTooLate: boolean): Problem {
  return withoutAnswer(
    isTooLate ? 'flagmeter did not answer in time.' : 'flagmeter cannot be reached.',
    'The console tries again by itself. Check that the process runs.',
  );
}

/** Nothing is sent while nobody is signed in. */
export function problemOfSession(): Problem {
  return withoutAnswer('Nobody is signed in.', '');
}

/** A request with this name would be another request. Nothing that a browser can ask for has such a name. */
export function problemOfStep(name: string): Problem {
  return {
    ...withoutAnswer(
      say`No page can ask for ${name} because browsers take this name for a step to another path.`,
      '',
    ),
    status: 404,
    isTemporary: false,
  };
}

function textIn(body: unknown, member: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Reflect.get(body, member);
  return typeof value === 'string' ? value : undefined;
}

function detailsIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('details' in body) || !Array.isArray(body.details))
    return [];
  return body.details.flatMap((detail: unknown) => {
    const message = textIn(detail, 'message');
    return message === undefined ? [] : [`${wordsOf(textIn(detail, 'path') ?? '')} ${message}`.trim()];
  });
}

/** A JSON pointer in words. People count from 1. */
function wordsOf(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (/^\d{1,9}$/.test(part) ? String(Number(part) + 1) : part))
    .join(' ');
}

import { documentOf } from '#books';
import { accountingSchema, refusalsSchema } from '#contract';
import { REFUSAL_REASONS, parseSince } from '#domain';
import { HttpProblem } from '#http';
import type { AdminRequest, Operation, QueryParameter } from '../operation.ts';
import { day, wholeNumber } from '../query.ts';
import type { Stores } from '../stores.ts';

const COMMON = { method: 'get', tag: 'Accounting', permission: 'READ' } as const;

/** A difference on live data is looked at again for so long. */
const PATIENCE_MS = 1500;

/** What was received and what became of it. */
export function accountingOperations({ books, refusals }: Pick<Stores, 'books' | 'refusals'>): Operation[] {
  return [getAccounting(books), listRefusals(refusals)];
}

const NUMBERS = {
  received: 1200,
  counted: 1150,
  refused: 30,
  refusedByReason: { too_old: 30 },
  duplicate: 19,
  dead: 1,
  inFlight: 4,
  gaps: 0,
  overlaps: 0,
};

function getAccounting(books: Stores['books']): Operation {
  return {
    ...COMMON,
    id: 'getAccounting',
    path: '/api/admin/metrics/accounting',
    summary: 'What was received and what became of it, as flagmeter reconcile tells it',
    query: {
      since: {
        description:
          'Only blocks stored since, and days (UTC) begun since: a date, a date and time, or 90m, 24h, 7d back from now.',
        schema: { type: 'string', maxLength: 40 },
      },
    },
    answer: {
      status: 200,
      description: 'The books; whether they agree is part of the answer.',
      schema: accountingSchema,
      example: {
        at: '2026-11-21T10:15:00.000Z',
        isBalanced: true,
        since: null,
        total: NUMBERS,
        partitions: [
          {
            ...{ topic: 'flagmeter.counts', epoch: 1, partition: 0, blocks: 12, from: 0, to: 96 },
            ...NUMBERS,
            isBalanced: true,
          },
        ],
        days: [
          {
            ...{ day: '2026-11-21', table: 'usage_daily' },
            ...{ expected: ['812', '41'], stored: ['812', '41'], isBalanced: true },
          },
        ],
        deadLetters: {
          ...{ dead: 0, open: 0, replayed: 0, dropped: 0 },
          ...{ received: 0, counted: 0, refused: 0, duplicate: 0 },
        },
        differences: [],
      },
    },
    problems: [400],
    async run(request) {
      const since = sinceOf(request);
      return documentOf(await books.readAgreed({ since, patienceMs: PATIENCE_MS }), since);
    },
  };
}

function sinceOf({ query }: AdminRequest): number | undefined {
  const text = query['since'];
  if (text === undefined) return undefined;
  const since = parseSince(text, Date.now());
  if (since === undefined) throw new HttpProblem(400, 'The parameter since is a time in the past.');
  return since;
}

const name = (description: string): QueryParameter => ({
  description,
  schema: { type: 'string', maxLength: 255 },
});
const date = (description: string): QueryParameter => ({
  description,
  schema: { type: 'string', format: 'date' },
});

function listRefusals(refusals: Stores['refusals']): Operation {
  return {
    ...COMMON,
    id: 'listRefusals',
    path: '/api/admin/metrics/refusals',
    summary: 'What was received and not counted, with the reason and a sample: 30 days, newest first',
    query: {
      reason: {
        description: 'Only those refused for it.',
        schema: { type: 'string', enum: REFUSAL_REASONS },
      },
      token: name('Only those of the token with this id.'),
      app: name('Only those of this application.'),
      feature: name('Only those of this feature.'),
      environment: name('Only those of this environment.'),
      from: date('Only those received on this day (UTC) or later.'),
      to: date('Only those received on this day (UTC) or earlier.'),
      limit: {
        description: 'How many at most; 100 if left out.',
        schema: { type: 'integer', minimum: 1, maximum: 1000 },
      },
    },
    answer: {
      status: 200,
      description: 'The refusals; of a day the most frequent first.',
      schema: refusalsSchema,
      example: {
        refusals: [
          {
            ...{ day: '2026-11-21', kind: 'metric', reason: 'too_old' },
            tokenId: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
            ...{ environment: 'production', appName: 'web-shop', featureName: 'new-basket' },
            ...{ count: 12, sample: 'timestamp: 2026-09-01T00:00:00Z' },
          },
        ],
      },
    },
    problems: [400],
    run: (request) =>
      refusals.list({
        reason: reasonOf(request),
        tokenId: request.query['token'],
        environment: request.query['environment'],
        appName: request.query['app'],
        featureName: request.query['feature'],
        from: day(request, 'from'),
        to: day(request, 'to'),
        limit: wholeNumber(request, 'limit', { least: 1, most: 1000, otherwise: 100 }),
      }),
  };
}

function reasonOf({ query }: AdminRequest): string | undefined {
  const reason = query['reason'];
  if (reason === undefined || REFUSAL_REASONS.some((known) => known === reason)) return reason;
  throw new HttpProblem(400, `The parameter reason is one of ${REFUSAL_REASONS.join(', ')}.`);
}

import { verdictsSchema } from '#contract';
import {
  APP_THRESHOLDS,
  APP_VERDICTS,
  FEATURE_THRESHOLDS,
  FEATURE_VERDICTS,
  type Threshold,
  type Thresholds,
  type Verdict,
} from '#domain';
import { HttpProblem } from '#http';
import type { AdminRequest, Operation, QueryParameter } from '../operation.ts';
import { decimalNumber, wholeNumber } from '../query.ts';
import type { Stores } from '../stores.ts';

const THRESHOLDS = { ...FEATURE_THRESHOLDS, ...APP_THRESHOLDS } satisfies Record<keyof Thresholds, Threshold>;
const VERDICTS: readonly Verdict[] = [...FEATURE_VERDICTS, ...APP_VERDICTS];

/** What the counts say, each with a sentence that says why. */
export function verdictOperations({ verdicts }: Pick<Stores, 'verdicts'>): Operation[] {
  return [
    {
      id: 'listVerdicts',
      method: 'get',
      tag: 'Usage',
      permission: 'READ',
      path: '/api/admin/metrics/verdicts',
      summary: 'What the counts say of features, the most evaluated first, and of applications',
      query: {
        feature: { description: 'Only verdicts on this feature.', schema: { type: 'string' } },
        environment: { description: 'Only verdicts on this environment.', schema: { type: 'string' } },
        verdict: { description: 'Only this verdict.', schema: { type: 'string', enum: VERDICTS } },
        limit: {
          description: 'How many at most; 100 if left out.',
          schema: { type: 'integer', minimum: 1, maximum: 1000 },
        },
        ...thresholdParameters(),
      },
      answer: { status: 200, description: 'The verdicts.', schema: verdictsSchema, example: EXAMPLE },
      problems: [400],
      run: (request) =>
        verdicts.list(
          {
            feature: request.query['feature'],
            environment: request.query['environment'],
            verdict: verdictOf(request),
            limit: wholeNumber(request, 'limit', { least: 1, most: 1000, otherwise: 100 }),
          },
          thresholdsOf(request),
        ),
    },
  ];
}

const EXAMPLE = {
  verdicts: [
    {
      featureName: 'new-basket',
      appName: null,
      environment: 'production',
      verdict: 'always_on',
      since: '2026-10-22T00:00:00.000Z',
      evaluations: 81_200,
      value: 81_200,
      threshold: 1000,
      subject: null,
      sentence: 'Each of its 81200 evaluations from 2026-10-22 to 2026-11-20 was enabled.',
    },
  ],
};

function thresholdParameters(): Record<string, QueryParameter> {
  const parameters = Object.entries(THRESHOLDS).map(([name, { usual, least, most, isWhole, meaning }]) => [
    name,
    {
      description: `${meaning} ${usual} if left out.`,
      schema: { type: isWhole ? 'integer' : 'number', minimum: least, maximum: most },
    },
  ]);
  return Object.fromEntries(parameters) as Record<string, QueryParameter>; // as just built
}

function verdictOf({ query }: AdminRequest): Verdict | undefined {
  const text = query['verdict'];
  if (text === undefined) return undefined;
  const verdict = VERDICTS.find((name) => name === text);
  if (verdict === undefined)
    throw new HttpProblem(400, `The parameter verdict is one of ${VERDICTS.join(', ')}.`);
  return verdict;
}

function thresholdsOf(request: AdminRequest): Thresholds {
  const values = Object.entries(THRESHOLDS).map(([name, { usual, least, most, isWhole }]) => {
    const read = isWhole ? wholeNumber : decimalNumber;
    return [name, read(request, name, { least, most, otherwise: usual })];
  });
  return Object.fromEntries(values) as Thresholds; // of the very names
}

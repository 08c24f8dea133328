import { createRandom } from '#tooling/traffic';

const HOUR_MS = 3_600_000;
const HOURS = 7 * 24;

/** A flag of another system, whose evaluations an application has counted for a week and sends as OpenTelemetry, in one body. */
export async function sendEvaluations(url: string, token: string): Promise<void> {
  const random = createRandom(2);
  const answer = await fetch(`${url}/v1/metrics`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({
      resourceMetrics: [
        {
          resource: attributes({ 'service.name': 'sample-web', 'deployment.environment.name': 'production' }),
          scopeMetrics: [{ metrics: [{ name: 'feature_flag.evaluations', sum: sumOf(random) }] }],
        },
      ],
    }),
  });
  if (answer.status !== 200)
    throw new Error(`evaluations of another system were answered with ${answer.status}`);
}

function sumOf(random: () => number): object {
  const hours = Array.from({ length: HOURS }, (_, hour) => Date.now() - hour * HOUR_MS);
  const dataPoints = hours.flatMap((at) => {
    const evaluations = 2000 + Math.floor(random() * 400);
    const blue = Math.floor(evaluations * 0.3);
    return [
      aPoint(at, { variant: 'blue', reason: 'targeting_match', count: blue }),
      aPoint(at, { variant: 'off', reason: 'default', count: evaluations - blue }),
    ];
  });
  return { aggregationTemporality: 1, isMonotonic: true, dataPoints };
}

type Result = { readonly variant: string; readonly reason: string; readonly count: number };

function aPoint(at: number, { variant, reason, count }: Result): object {
  return {
    timeUnixNano: `${at}000000`,
    asInt: String(count),
    ...attributes({
      'feature_flag.key': 'loyalty-points',
      'feature_flag.provider.name': 'flagd',
      'feature_flag.result.variant': variant,
      'feature_flag.result.reason': reason,
    }),
  };
}

function attributes(values: Readonly<Record<string, string>>): { readonly attributes: readonly object[] } {
  return {
    attributes: Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
}

import { expect } from 'chai';
import { untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { type OtlpAttributes, logsBody } from '../../../support/senders/otlp/otlp-bodies.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { startCounting } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

type Evaluations = readonly (readonly [count: number, OtlpAttributes])[];

const said = (value: boolean | string, variant?: string): OtlpAttributes => ({
  'feature_flag.result.value': value,
  ...(variant === undefined ? {} : { 'feature_flag.result.variant': variant }),
});

/** Flags of OpenTelemetry, and the arms of their evaluations. */
const FLAGS: Readonly<Record<string, readonly [Evaluations, Readonly<Record<string, string>>]>> = {
  'a variant of each result': [
    [
      [3, said(true, 'on')],
      [2, said(false, 'off')],
    ],
    { on: '3', off: '2', disabled: '2' },
  ],
  'variants of a no only': [[[4, said(false, 'off')]], { off: '4', disabled: '4' }],
  'no variants': [
    [
      [3, said(true)],
      [2, said(false)],
    ],
    { enabled: '3', disabled: '2' },
  ],
  'unknown results': [
    [
      [1, said(true, 'on')],
      [5, {}],
    ],
    { on: '1' },
  ],
};

describe('the exposures of a feature', () => {
  const world = sharedWorld();
  before(async () => {
    const ingest = await startCounting(world);
    const now = BigInt(Date.now()) * 1_000_000n;
    const records = Object.entries(FLAGS).flatMap(([feature, [evaluations]]) =>
      evaluations.flatMap(([count, attributes]) =>
        Array.from({ length: count }, () => ({
          time: now,
          name: 'feature_flag.evaluation',
          attributes: { 'feature_flag.key': feature, ...attributes },
        })),
      ),
    );
    const { json } = logsBody([{ records }]);
    expect((await post(ingest, { path: '/v1/logs', body: json })).status).to.equal(200);
    const metrics = [
      aFreshMetric({ featureName: 'of Unleash', yes: 60, no: 60, variants: { blue: 40, disabled: 80 } }),
    ];
    expect((await post(ingest, { body: bodyOf({ metrics }) })).status).to.equal(202);
    await untilCounted(world);
  });

  const armsOf = async (view: string, feature: string): Promise<Record<string, string>> => {
    const rows = await world.query<{ arm: string; exposures: string }>(
      `select arm, exposures from ${view} where feature_name = '${feature}'`,
    );
    return Object.fromEntries(rows.map(({ arm, exposures }) => [arm, exposures] as const));
  };

  for (const view of ['exposures_by_hour', 'exposures_by_day']) {
    for (const [feature, [, arms]] of Object.entries(FLAGS))
      it(`are never negative, in ${view}: ${feature}`, async () => {
        expect(await armsOf(view, feature)).to.deep.equal(arms);
      });

    it(`have what variants leave of the enabled ones, in ${view}`, async () => {
      expect(await armsOf(view, 'of Unleash')).to.deep.equal({ blue: '40', enabled: '20', disabled: '60' });
    });
  }
});

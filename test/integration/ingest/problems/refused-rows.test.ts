import { expect } from 'chai';
import { startIngest } from '../../../../services/ingest/app.ts';
import { readConfig } from '#base/runtime';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { logsBody, metricsBody, tracesBody } from '../../../support/senders/otlp/otlp-bodies.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN } from '../../../support/world.ts';

const SECRET = 'a-name-that-nobody-may-see';
const NAME = 'feature_flag.evaluation';
/** No name of a feature is so long. */
const LONG = SECRET + 'x'.repeat(300);
const NOW = BigInt(Date.now()) * 1_000_000n;

type Row = {
  readonly path: string;
  readonly place: string;
  readonly kind?: string;
  readonly reason?: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly contentType?: string;
  readonly authorization?: string;
};

const counts = { yes: 1, no: 0 };
const fine = {
  time: NOW,
  name: NAME,
  attributes: { 'feature_flag.key': 'fine', 'feature_flag.result.value': true },
};
const long = { ...fine, attributes: { ...fine.attributes, 'feature_flag.key': LONG } };
const logs = logsBody([{ records: [fine] }, { records: [fine, fine, long, long] }]);
const traces = tracesBody([{ spans: [[fine], [fine, long]] }]);
const metrics = metricsBody([
  {
    metrics: [
      { name: 'other', kind: 'sum', temporality: 1, isMonotonic: true, points: [] },
      {
        name: 'feature_flag.evaluations',
        kind: 'sum',
        temporality: 1,
        isMonotonic: true,
        points: [fine, long].map(({ time, attributes }) => ({ time, attributes, int: 1n })),
      },
    ],
  },
]);

/** The second or a later item of each body is refused. */
const ROWS: readonly Row[] = [
  ...['/edge/metrics', '/api/client/metrics/bulk'].flatMap((path): Row[] => [
    {
      path,
      place: 'metrics[2]',
      body: bodyOf({
        metrics: [
          aFreshMetric(),
          aFreshMetric(),
          aFreshMetric({ featureName: LONG }),
          aFreshMetric({ featureName: LONG }),
        ],
      }),
    },
    {
      path,
      place: 'applications[1]',
      kind: 'application',
      body: bodyOf({ applications: [{ appName: 'fine' }, { appName: LONG }] }),
    },
    {
      path,
      place: 'impactMetrics[0].samples[1]',
      kind: 'sample',
      reason: 'invalid_sample',
      body: JSON.stringify({
        applications: [],
        metrics: [],
        impactMetrics: [
          {
            name: 'fine',
            type: 'counter',
            help: '',
            samples: [
              { labels: {}, value: 1 },
              { labels: {}, value: SECRET },
            ],
          },
        ],
      }),
    },
  ]),
  ...['/api/client/metrics', '/api/frontend/client/metrics'].map((path) => ({
    path,
    place: 'bucket.toggles[1]',
    authorization: path.includes('frontend') ? FRONTEND_TOKEN : CLIENT_TOKEN,
    body: JSON.stringify({
      appName: 'sdk',
      bucket: { start: null, stop: null, toggles: { fine: counts, [LONG]: counts } },
    }),
  })),
  {
    path: '/api/client/register',
    place: '',
    kind: 'application',
    body: JSON.stringify({ appName: LONG, interval: 10, started: 0, strategies: [] }),
  },
  ...(['json', 'protobuf'] as const).flatMap((encoding): Row[] => {
    const contentType = encoding === 'json' ? 'application/json' : 'application/x-protobuf';
    return [
      {
        path: '/v1/logs',
        place: 'resourceLogs[1].scopeLogs[0].logRecords[2]',
        body: logs[encoding],
        contentType,
      },
      {
        path: '/v1/traces',
        place: 'resourceSpans[0].scopeSpans[0].spans[1].events[1]',
        body: traces[encoding],
        contentType,
      },
      {
        path: '/v1/metrics',
        place: 'resourceMetrics[0].scopeMetrics[0].metrics[1].dataPoints[1]',
        body: metrics[encoding],
        contentType,
      },
    ];
  }),
];

const BOTH_KINDS = bodyOf({
  metrics: [aFreshMetric({ featureName: LONG }), aFreshMetric({ featureName: LONG })],
  applications: [{ appName: LONG }],
});

describe('rows that are refused', () => {
  const world = sharedUncountedWorld();

  it('are told apart by their kind', async () => {
    const logged = collectLog();
    const ingest = await startIngest(readConfig({ ...world.env }), logged.log);
    await eventually(
      () => fetch(`${ingest.url}/ready`),
      ({ status }) => status === 200,
    );
    await post(ingest, { body: BOTH_KINDS });
    await ingest.stop();

    const lines = logged.lines().filter(({ msg }) => msg === 'refused');
    expect(lines.map(({ kind, reason, count }) => [kind, reason, count])).to.have.deep.members([
      ['metric', 'name_too_long', 2],
      ['application', 'name_too_long', 1],
    ]);
  });

  for (const row of ROWS) {
    const { path, place, body, kind = 'metric', reason = 'name_too_long' } = row;
    const { contentType = 'application/json', authorization = CLIENT_TOKEN } = row;
    it(`leave a line with the place of the first one, and no values: ${place || 'the body'} of ${path}, ${contentType}`, async () => {
      const logged = collectLog();
      const ingest = await startIngest(readConfig({ ...world.env }), logged.log);
      await eventually(
        () => fetch(`${ingest.url}/ready`),
        ({ status }) => status === 200,
      );
      const { status } = await post(ingest, { path, body, contentType, authorization });
      await ingest.stop();

      expect(status).to.be.within(200, 202);
      const lines = logged.lines().filter(({ msg }) => msg === 'refused');
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include({ kind, reason, path, place });
      expect(JSON.stringify(logged.lines())).not.to.include(SECRET);
    });
  }
});

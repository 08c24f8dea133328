import { expect } from 'chai';
import {
  type OtlpAttributes,
  type OtlpRecord,
  type OtlpSpan,
  logsBody,
  metricsBody,
  tracesBody,
} from '../../../../support/senders/otlp/otlp-bodies.ts';
import { countedOfBoth, unclearOf } from '../../../../support/senders/otlp/otlp-evaluations.ts';

const TIME = 1_795_000_500_000_000_000n;
const NAME = 'feature_flag.evaluation';

const ofLogs = (...records: OtlpRecord[]) => countedOfBoth('logs', logsBody([{ records }]));
const ofSpans = (...spans: OtlpSpan[]) => countedOfBoth('traces', tracesBody([{ spans }]));
const metric = (name: string, points: readonly (readonly [bigint, OtlpAttributes])[], isMonotonic = true) =>
  metricsBody([
    {
      metrics: [
        {
          name,
          kind: 'sum',
          temporality: 1,
          isMonotonic,
          points: points.map(([int, attributes]) => ({ time: TIME, start: TIME - 1n, int, attributes })),
        },
      ],
    },
  ]);
const ofCounter = (...parts: Parameters<typeof metric>) => countedOfBoth('metrics', metric(...parts));

/** Written from the sources of senders that do not run here, with the attributes that those have. */
describe('senders of evaluations, by their sources', () => {
  it('of the conventions 1.21 to 1.28 say only the variant', () => {
    const attributes = {
      'feature_flag.key': 'basket',
      'feature_flag.provider_name': 'flagd',
      'feature_flag.variant': 'off',
    };
    expect(ofLogs({ attributes, name: 'feature_flag' })).to.deep.equal(['basket no off unknown']);
  });

  for (const [reason, expected] of [
    ['disabled', 'no'],
    ['default', 'no'],
    ['error', 'no'],
    ['targeting_match', 'yes'],
  ] as const)
    it(`of the conventions 1.29 to 1.31 say why, and have the value in the body: ${reason}`, () => {
      const attributes = {
        'feature_flag.key': 'colour',
        'feature_flag.evaluation.reason': reason,
        'feature_flag.context.id': 'a person',
      };
      const named = { name: NAME, attributes };
      expect(ofLogs({ ...named, body: { value: '#f00' } })).to.deep.equal([`colour ${expected} - ${reason}`]);
      expect(ofLogs({ ...named, body: { value: false } })).to.deep.equal([`colour no - ${reason}`]);
      expect(ofLogs({ ...named, body: { value: true } })).to.deep.equal([`colour yes - ${reason}`]);
    });

  it('of the conventions 1.32 and 1.33 have new attributes beside the value in the body', () => {
    const attributes = { 'feature_flag.key': 'basket', 'feature_flag.result.reason': 'static' };
    const body = { other: true, value: 'false' };
    expect(ofLogs({ name: NAME, attributes, body })).to.deep.equal(['basket no - static']);
  });

  it('may have the value as the body itself, but a text is a message', () => {
    const attributes = { 'feature_flag.key': 'basket', 'feature_flag.result.variant': 'off' };
    const counted = [false, true, 'True', 'off for all', [true]].map((body) =>
      ofLogs({ name: NAME, attributes, body }),
    );
    expect(counted.flat()).to.deep.equal([
      'basket no off unknown',
      'basket yes off unknown',
      'basket yes off unknown',
      'basket no off unknown',
      'basket no off unknown',
    ]);
  });

  it('since 1.34 may have values of any type', () => {
    const valued = (value: OtlpAttributes[string]): OtlpRecord => ({
      name: NAME,
      attributes: {
        'feature_flag.key': 'a',
        'feature_flag.result.variant': 'off',
        'feature_flag.result.value': value,
      },
    });
    const said = [true, 'blue', 3n, 0n, 2.5, ['x'], { theme: 'dark' }].map((value) => ofLogs(valued(value)));
    expect(new Set(said.flat())).to.deep.equal(new Set(['a yes off unknown']));
    const nothing = ['', 'null', false, 'FALSE'].map((value) => ofLogs(valued(value)));
    expect(new Set(nothing.flat())).to.deep.equal(new Set(['a no off unknown']));
  });

  it('Kibana counts by the value as text', () => {
    const flag = { 'feature_flag.key': 'basket' };
    expect(
      ofCounter('flag.evaluation.count', [
        [7n, { ...flag, 'feature_flag.value': 'false' }],
        [3n, { ...flag, 'feature_flag.value': 'true' }],
        [2n, { ...flag, 'feature_flag.value': 'blue' }],
      ]),
    ).to.deep.equal(['basket no - unknown 7', 'basket yes - unknown 3', 'basket yes - unknown 2']);
  });

  it('flagd counts impressions, and their reasons again', () => {
    const point: OtlpAttributes = {
      'feature_flag.key': 'basket',
      'feature_flag.result.variant': 'on',
      'feature_flag.provider.name': 'flagd',
      'feature_flag.reason': 'STATIC',
    };
    const impressions = metric('feature_flag.flagd.impression', [[5n, point]]);
    expect(countedOfBoth('metrics', impressions)).to.deep.equal(['basket yes on static 5']);
    const { 'feature_flag.result.variant': _, ...reason } = point;
    for (const name of ['feature_flag.flagd.result.reason', 'feature_flag.flagd.evaluation.reason']) {
      const reasons = metric(name, [[5n, reason]]);
      expect(countedOfBoth('metrics', reasons)).to.deep.equal([]);
      expect(unclearOf('metrics', reasons.protobuf)).to.equal('0');
    }
  });

  it('.NET 2.14 sends a span, to which TraceEnricherHook adds an event of the same evaluation', () => {
    const attributes = {
      'feature_flag.key': 'basket',
      'feature_flag.result.reason': 'static',
      'feature_flag.result.value': false,
    };
    const event = { name: NAME, time: TIME, attributes };
    expect(ofSpans({ name: NAME, attributes })).to.deep.equal(['basket no - static']);
    expect(ofSpans({ name: NAME, attributes, events: [event] })).to.deep.equal(['basket no - static']);
    const failed = {
      'feature_flag.key': 'basket',
      'feature_flag.result.reason': 'error',
      'error.type': '_OTHER',
    };
    expect(ofSpans({ name: NAME, attributes: failed })).to.deep.equal(['basket no - error _other']);
  });

  it('the earlier hook for .NET marks the span of the request with its last event', () => {
    const of = (key: string) => ({ 'feature_flag.key': key, 'feature_flag.variant': 'on' });
    const events = ['a', 'b'].map((key) => ({ name: 'feature_flag', attributes: of(key) }));
    expect(ofSpans({ name: 'GET /', attributes: of('b'), events })).to.deep.equal([
      'a yes on unknown',
      'b yes on unknown',
    ]);
  });

  it('LaunchDarkly for Ruby and React Native has the same in a span and its event', () => {
    const attributes = {
      'feature_flag.key': 'basket',
      'feature_flag.provider.name': 'LaunchDarkly',
      'feature_flag.result.variationIndex': '1',
      'feature_flag.result.value': 'false',
      'feature_flag.result.reason.kind': 'OFF',
    };
    const span = { name: 'evaluation', attributes };
    const events = [{ name: 'feature_flag', attributes }];
    expect(ofSpans({ ...span, events })).to.deep.equal(['basket no 1 off']);
  });

  it('LaunchDarkly for .NET sends an event beside the span of the call', () => {
    const attributes = { 'feature_flag.key': 'basket', 'feature_flag.result.value': 'true' };
    const events = [{ name: 'feature_flag', attributes }];
    expect(ofSpans({ name: 'LdClient.BoolVariation', attributes }, { name: 'GET /', events })).to.deep.equal([
      'basket yes - unknown',
    ]);
  });

  it('Java and PHP record what failed as an exception, Python beside an event', () => {
    const attributes = { 'feature_flag.key': 'basket', 'feature_flag.provider.name': 'flagd' };
    const exception = { name: 'exception', attributes };
    expect(ofSpans({ events: [exception] })).to.deep.equal(['basket no - error']);
    const ofPython = { ...exception, attributes: { ...attributes, 'feature_flag.result.value': 'false' } };
    expect(ofSpans({ events: [ofPython] })).to.deep.equal([]);
    expect(ofSpans({ events: [{ name: 'exception', attributes: { 'exception.type': 'E' } }] })).to.deep.equal(
      [],
    );
  });
});

describe('what names a flag and a result', () => {
  const flag = { 'feature_flag.key': 'basket' };
  const result = { ...flag, 'feature_flag.result.variant': 'off' };

  it('is an evaluation whatever the name of its record, event or span is', () => {
    for (const name of [undefined, '', 'an event'])
      expect(ofLogs({ attributes: result, ...(name === undefined ? {} : { name }) })).to.deep.equal([
        'basket no off unknown',
      ]);
    expect(ofSpans({ name: 'a span', attributes: result })).to.deep.equal(['basket no off unknown']);
    expect(ofSpans({ events: [{ name: 'an event', attributes: result }] })).to.deep.equal([
      'basket no off unknown',
    ]);
  });

  it('is no evaluation if a counter does not count evaluations by its name', () => {
    for (const name of ['shop.feature_flag.evaluations', 'FlagEvaluationCount', 'flag-impressions'])
      expect(ofCounter(name, [[2n, result]])).to.deep.equal(['basket no off unknown 2']);
    const purchases = metric('shop.purchases', [[2n, result]]);
    expect(countedOfBoth('metrics', purchases)).to.deep.equal([]);
    expect(unclearOf('metrics', purchases.protobuf)).to.equal('1 name: shop.purchases');
    const active = metric('shop.evaluations', [[2n, result]], false);
    expect(countedOfBoth('metrics', active)).to.deep.equal([]);
    expect(unclearOf('metrics', active.protobuf)).to.equal('1 name: shop.evaluations');
  });

  it('is reported if it has no result, unless its name says that it is an evaluation', () => {
    const span = { name: 'a span', attributes: flag };
    expect(ofSpans(span)).to.deep.equal([]);
    expect(unclearOf('traces', tracesBody([{ spans: [span, span] }]).protobuf)).to.equal('2 name: a span');
    const record = { name: 'x'.repeat(99), attributes: flag };
    expect(ofLogs(record)).to.deep.equal([]);
    expect(unclearOf('logs', logsBody([{ records: [record] }]).protobuf)).to.equal(
      `1 name: ${'x'.repeat(64)}… (99 characters)`,
    );
    expect(ofLogs({ name: NAME, attributes: flag })).to.have.length(1);
    expect(ofSpans({ name: 'feature_flag.evaluate', attributes: flag })).to.have.length(1);
  });

  it('counts once for each of its flags in the events of one span', () => {
    const event = { name: NAME, attributes: result };
    const other = { name: NAME, attributes: { ...result, 'feature_flag.key': 'other' } };
    expect(ofSpans({ name: NAME, attributes: result, events: [event, event, other] })).to.have.length(3);
    expect(ofSpans({ name: NAME, attributes: result, events: [other] })).to.have.length(2);
    expect(ofSpans({ name: NAME, events: [other] })).to.have.length(1);
  });
});

import { expect } from 'chai';
import { countMessages } from '../../../support/stack/engines/kafka/topics.ts';
import { bodyOf, post, problemOf } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

/** A value of each JSON type. None of them is a date or a count. */
const VALUES = { null: null, boolean: true, number: 7.5, string: '7', array: [], object: {} } as const;

type JsonType = keyof typeof VALUES;

const TYPES = Object.keys(VALUES) as JsonType[]; // which they are

/** `place` returns an item that is valid except for the value; `path` is the pointer inside the item. */
type Field = {
  readonly name: string;
  readonly place: (value: unknown) => object;
  readonly path: string;
  readonly accepts: readonly JsonType[];
};

const METRIC = { featureName: 'f', appName: 'a', environment: 'production' };
const VIA = { appName: 'edge', instanceId: 'edge' };

const METRIC_FIELDS: readonly Field[] = [
  ofMetric('featureName', ['string']),
  ofMetric('appName', ['string']),
  ofMetric('environment', ['string']),
  ofMetric('timestamp', ['null']),
  ofMetric('yes', ['null']),
  ofMetric('no', ['null']),
  ofMetric('variants', ['null', 'object']),
  {
    name: 'the count of a variant',
    place: (value) => ({ ...METRIC, variants: { blue: value } }),
    path: '/variants/*',
    accepts: ['null'],
  },
  ...['sdkVersion', 'sdkType', 'platformName', 'platformVersion', 'yggdrasilVersion', 'tomorrow'].map(
    (name) => ofMetric(name, TYPES),
  ),
];

const APPLICATION_FIELDS: readonly Field[] = [
  ofApplication('appName', ['string']),
  ofApplication('environment', ['null', 'string']),
  ofApplication('instanceId', ['null', 'string']),
  ofApplication('sdkVersion', ['null', 'string']),
  ofApplication('sdkType', ['null', 'string']),
  ofApplication('interval', ['null', 'number']),
  ofApplication('started', ['null']),
  ...['strategies', 'projects', 'connectVia'].map((name) => ofApplication(name, ['null', 'array'])),
  ...['strategies', 'projects'].map((name) => ({
    name: `an item of ${name}`,
    place: (value: unknown) => ({ appName: 'a', [name]: ['default', value] }),
    path: `/${name}/1`,
    accepts: ['string' as const],
  })),
  {
    name: 'an item of connectVia',
    place: (value) => ({ appName: 'a', connectVia: [VIA, value] }),
    path: '/connectVia/1',
    accepts: [],
  },
  ...['appName', 'instanceId'].map((name) => ({
    name: `${name} of connectVia`,
    place: (value: unknown) => ({ appName: 'a', connectVia: [{ ...VIA, [name]: value }] }),
    path: `/connectVia/0/${name}`,
    accepts: ['string' as const],
  })),
  ...['connectionId', 'platformName', 'platformVersion', 'yggdrasilVersion', 'sdkFlavor', 'tomorrow'].map(
    (name) => ofApplication(name, TYPES),
  ),
];

const LISTS = [
  ['metrics', METRIC_FIELDS],
  ['applications', APPLICATION_FIELDS],
] as const;

describe('the type of a field', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  for (const [list, fields] of LISTS) {
    for (const { name, place, path, accepts } of fields) {
      for (const type of TYPES.filter((candidate) => !accepts.includes(candidate))) {
        it(`is rejected with 400: ${type} as ${name} of ${list}`, async () => {
          const answer = await post(ingest, { body: bodyOf({ [list]: [place(VALUES[type])] }) });
          expect(answer.status).to.equal(400);
          const { details = [] } = problemOf(answer);
          expect(details.map((detail) => detail.path)).to.deep.equal([`/${list}/0${path}`]);
          expect(details[0]?.message).to.match(/^must (be|have) /);
        });
      }
    }
  }

  it('is checked before anything is stored', async () => {
    expect(await countMessages(world)).to.equal(0);
  });

  for (const [list, fields] of LISTS) {
    for (const { name, place, accepts } of fields) {
      for (const type of accepts) {
        it(`is accepted with 202: ${type} as ${name} of ${list}`, async () => {
          const answer = await post(ingest, { body: bodyOf({ [list]: [place(VALUES[type])] }) });
          expect(answer.status).to.equal(202);
        });
      }
    }
  }
});

function ofMetric(name: string, accepts: readonly JsonType[]): Field {
  return { name, place: (value) => ({ ...METRIC, [name]: value }), path: `/${name}`, accepts };
}

function ofApplication(name: string, accepts: readonly JsonType[]): Field {
  return { name, place: (value) => ({ appName: 'a', [name]: value }), path: `/${name}`, accepts };
}

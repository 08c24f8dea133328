import { expect } from 'chai';
import { type Answer, post, problemOf } from '../../../support/requests/post.ts';
import { sharedCounting } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

/** Yesterday, well within the maximum age. */
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const NEXT_DAY = new Date(Date.parse(DAY) + 86_400_000).toISOString().slice(0, 10);
const MILLION = 1_000_000;

/**
 * Members of a metric as JSON text, and the expected result: the counts, the reason of a refusal, or the pointer of a
 * 400.
 */
type Row = {
  readonly title: string;
  readonly json: string;
  readonly counted?: Readonly<Partial<Record<'yes' | 'hour' | 'feature', string>>>;
  readonly refused?: string;
  readonly wrong?: string;
};

const COUNTS: readonly Row[] = [
  { title: 'yes -1', json: '"yes":-1', wrong: '/yes' },
  { title: 'yes -0', json: '"yes":-0', counted: { yes: '0' } },
  { title: 'yes 1.5', json: '"yes":1.5', wrong: '/yes' },
  { title: 'yes 1.0', json: '"yes":1.0', counted: { yes: '1' } },
  { title: 'yes 1e3', json: '"yes":1e3', counted: { yes: '1000' } },
  { title: 'yes 10e-1', json: '"yes":10e-1', counted: { yes: '1' } },
  { title: 'yes 1e-400', json: '"yes":1e-400', counted: { yes: '0' } },
  { title: 'yes 1e400', json: '"yes":1e400', wrong: '/yes' },
  { title: 'yes -1e400', json: '"yes":-1e400', wrong: '/yes' },
  { title: 'yes 2^32', json: '"yes":4294967296', counted: { yes: '4294967296' } },
  { title: 'yes 2^53-1', json: '"yes":9007199254740991', counted: { yes: '9007199254740991' } },
  { title: 'yes 2^53', json: '"yes":9007199254740992', wrong: '/yes' },
  { title: 'yes 2^64', json: '"yes":18446744073709551616', wrong: '/yes' },
  { title: 'yes of a million digits', json: `"yes":${'9'.repeat(MILLION)}`, wrong: '/yes' },
  { title: 'yes 1 with a million zeros', json: `"yes":1.${'0'.repeat(MILLION)}`, counted: { yes: '1' } },
  { title: 'yes twice', json: '"yes":"7","yes":2', counted: { yes: '2' } },
  { title: 'yes twice, the last one wrong', json: '"yes":2,"yes":"7"', wrong: '/yes' },
  { title: 'no 2^53', json: '"no":9007199254740992', wrong: '/no' },
  { title: 'a variant -1', json: '"variants":{"v":-1}', wrong: '/variants/*' },
  { title: 'a variant 2^64', json: '"variants":{"v":18446744073709551616}', wrong: '/variants/*' },
  { title: 'a hidden yes', json: '"__proto__":{"yes":7}', counted: { yes: '0' } },
];

const TIMESTAMPS: readonly Row[] = [
  { ...at(`${DAY}T10:59:59Z`), counted: { hour: `${DAY} 10` } },
  { ...at(`${DAY}T10:59:59.999999999Z`), counted: { hour: `${DAY} 10` } },
  { ...at(`${DAY} 10:00:00Z`), counted: { hour: `${DAY} 10` } },
  { ...at(`${DAY}t10:00:00z`), counted: { hour: `${DAY} 10` } },
  { ...at(`${DAY}T10:00:00`), counted: { hour: `${DAY} 10` } },
  { ...at(`${DAY}T10:00:00+05:30`), counted: { hour: `${DAY} 04` } },
  { ...at(`${DAY}T10:00:00-0230`), counted: { hour: `${DAY} 12` } },
  { ...at(`${DAY}T23:59:60Z`), counted: { hour: `${NEXT_DAY} 00` } },
  ...['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z'].map((text) => ({
    ...at(text),
    refused: 'too_old',
  })),
  { ...at('9999-12-31T23:59:59Z'), refused: 'in_the_future' },
  ...[
    '2026-02-30T10:00:00Z',
    '2026-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-10T10:00:00Z',
    '2026-11-00T10:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:60:00Z',
    '2026-11-20T10:00:61Z',
    '2026-11-20T10:30:60Z',
    '2026-11-20T10:00:00+25:00',
    '2026-11-20T10:00Z',
    '2026-11-20',
    '20261120T100000Z',
    '+012026-11-20T10:00:00Z',
    '-000001-11-20T10:00:00Z',
    'Fri, 20 Nov 2026 10:00:00 GMT',
    '1795168800000',
    'now',
    '',
    ' 2026-11-20T10:00:00Z',
    '2026-11-20T10:00:00Z\\n',
  ].map((text) => ({ ...at(text), wrong: '/timestamp' })),
  { title: 'timestamp 1795168800000 as a number', json: '"timestamp":1795168800000', wrong: '/timestamp' },
  { title: 'timestamp 1795168800 as a number', json: '"timestamp":1795168800', wrong: '/timestamp' },
];

const NAMES: readonly Row[] = [
  countedFeature('1 long', 'f'),
  countedFeature('255 long', 'f'.repeat(255)),
  countedFeature('of 127 emoji and a letter', `${'🧺'.repeat(127)}f`),
  countedFeature('with an emoji of several parts', 'family-👨‍👩‍👧'),
  countedFeature('with a right-to-left mark', 'f\u200f\u202ef'),
  countedFeature('with slashes', '../../f/\\f'),
  countedFeature('with quotes', `f"'\`;--`),
  countedFeature('with a space at its end', 'f '),
  countedFeature('with a replacement character', 'f\ufffd'),
  countedFeature('with a noncharacter', 'f\uffff'),
  { ...feature('empty', ''), refused: 'empty_name' },
  { ...feature('256 long', 'f'.repeat(256)), refused: 'name_too_long' },
  { ...feature('of 128 emoji', '🧺'.repeat(128)), refused: 'name_too_long' },
  ...['\0', '\n', '\u007f', '\u0085', '\ud83e'].map((character) => ({
    ...feature(`with the character ${character.codePointAt(0)?.toString(16)}`, `f${character}f`),
    refused: 'invalid_character',
  })),
  {
    title: '20,000 variants',
    json: `"variants":${JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`v${index}`, 1])))}`,
    refused: 'too_many_variants',
  },
  { title: 'a variant 256 long', json: `"variants":{"${'v'.repeat(256)}":1}`, refused: 'name_too_long' },
  {
    title: 'an environment 100 long',
    json: `"environment":"${'e'.repeat(100)}"`,
    refused: 'environment_not_allowed',
  },
  { title: 'an environment 101 long', json: `"environment":"${'e'.repeat(101)}"`, refused: 'name_too_long' },
];

const ROWS = [...COUNTS, ...TIMESTAMPS, ...NAMES].map((row, index) => ({ ...row, appName: `app-${index}` }));

describe('a metric with an unusual value', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1', MAX_BODY_BYTES: String(2 * MILLION) });
  const ingest = sharedCounting(world);
  let answers: Answer[];
  let usages: readonly OfApp[];
  let refusals: readonly OfApp[];
  before(async () => {
    answers = await Promise.all(
      ROWS.map(({ appName, json }) => {
        const metric = `{"featureName":"f","appName":"${appName}","environment":"production",${json}}`;
        return post(ingest, { body: `{"applications":[],"metrics":[${metric}]}` });
      }),
    );
    await world.settled();
    usages = await world.query<OfApp>(
      `select app_name, toString(u.yes) as yes, formatDateTime(hour, '%Y-%m-%d %H') as hour, feature_name as feature
       from usage_by_hour as u`,
    );
    refusals = await world.query<OfApp>(
      'select app_name, reason, toUInt32(r.count) as count from refusals as r',
    );
  });

  for (const [index, { title, appName, counted, refused, wrong }] of ROWS.entries()) {
    const shown = title.length > 100 ? `${title.slice(0, 100)}...` : title;
    it(`${outcomeOf(refused, wrong)}: ${shown}`, () => {
      expect(answers[index]?.status).to.equal(wrong === undefined ? 202 : 400);
      if (wrong !== undefined) expect(pathsOf(answers[index])).to.deep.equal([`/metrics/0${wrong}`]);
      expect(rowsOf(refusals, appName)).to.deep.equal(
        refused === undefined ? [] : [{ reason: refused, count: 1 }],
      );
      const usage = rowsOf(usages, appName);
      expect(usage).to.have.length(counted === undefined ? 0 : 1);
      expect(usage[0] ?? {}).to.include(counted ?? {});
    });
  }
});

type OfApp = Readonly<Record<string, unknown>> & { readonly app_name: string };

function rowsOf(rows: readonly OfApp[], appName: string): Readonly<Record<string, unknown>>[] {
  return rows.flatMap(({ app_name, ...row }) => (app_name === appName ? [row] : []));
}

function at(text: string): Pick<Row, 'title' | 'json'> {
  return { title: `timestamp "${text}"`, json: `"timestamp":"${text}"` };
}

function feature(title: string, featureName: string): Pick<Row, 'title' | 'json'> {
  return { title: `a feature ${title}`, json: `"featureName":${JSON.stringify(featureName)}` };
}

function countedFeature(title: string, featureName: string): Row {
  return { ...feature(title, featureName), counted: { feature: featureName } };
}

function outcomeOf(refused: string | undefined, wrong: string | undefined): string {
  if (wrong !== undefined) return `is answered 400 at ${wrong}`;
  return refused === undefined ? 'is counted' : `is refused as ${refused}`;
}

function pathsOf(answer: Answer | undefined): (string | undefined)[] {
  return answer === undefined ? [] : (problemOf(answer).details ?? []).map(({ path }) => path);
}

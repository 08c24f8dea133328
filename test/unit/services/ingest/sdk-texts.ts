import fc from 'fast-check';

export const STOP = '"2026-11-21T10:14:03.120Z"';
const START = '"2026-11-21T10:13:03.120Z"';
export const SAMPLES =
  '[{"name":"purchases","help":"","type":"counter","samples":[{"labels":{"a":"b"},"value":1}]},{"name":"","type":"x"}]';
export const TOGGLE = '"new-basket":{"yes":812,"no":41,"variants":{"blue":410,"red":402}}';
const HEAD =
  '"appName":"shop","instanceId":"i-1","sdkVersion":"unleash-client-node:6.12.0","yggdrasilVersion":null';
export const BODY = `{${HEAD},"bucket":{"start":${START},"stop":${STOP},"toggles":{${TOGGLE}}}}`;

const VALUES = [
  '"a"',
  '""',
  '"ü"',
  '"\\u0061"',
  '"\\""',
  '"\\ud800"',
  '"\u0001"',
  '"7"',
  '" 7"',
  '"toggles"',
  '"\\"toggles\\":{"',
  `"${'x'.repeat(100)}"`,
  `"${'x'.repeat(101)}"`,
  `"${'x'.repeat(255)}"`,
  `"${'x'.repeat(256)}"`,
  'null',
  'true',
  '0',
  '-0',
  '7',
  '1.5',
  '2.0',
  '1e3',
  '1e400',
  '-1',
  '01',
  'NaN',
  '',
  '999999999999999',
  '9007199254740991',
  STOP,
  START,
  '"2026-11-21T10:00:00Z"',
  '"2026-02-30T10:00:00Z"',
  '"2026-11-21 10:14:03,5+01"',
  '1795601707000',
  '"1970-01-01T00:00:00Z"',
  '[]',
  '[1]',
  '{}',
  '[',
  '{"a":1}',
  '{"a":0}',
  '{"a":1,"a":2}',
  '{"a":null}',
  '{"a":"1"}',
  '{"2":1,"1":3}',
  '{"__proto__":5}',
  '{"toggles":{}}',
  `{"toggles":{${TOGGLE}}}`,
  SAMPLES,
];

const value = fc.constantFrom(...VALUES);
const memberOf = (...names: string[]) =>
  fc.tuple(fc.constantFrom(...names), value).map(([name, text]) => `"${name}":${text}`);

const seldom = (others: fc.Arbitrary<string[]>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: others });

/** Mostly as SDKs write it, in any order. Among other members, a repeated one is likely. */
const listOf = (usual: readonly string[], other: fc.Arbitrary<string>, most = 2) =>
  fc
    .tuple(
      fc.subarray([...usual], { minLength: usual.length - 1 }),
      seldom(fc.array(other, { minLength: 1, maxLength: most })),
    )
    .chain(([some, others]) => {
      const all = [...some, ...others];
      return fc.shuffledSubarray(all, { minLength: all.length });
    })
    .map((members) => `{${members.join(',')}}`);

const toggle = listOf(
  ['"yes":3', '"no":0', '"variants":{"blue":2}'],
  memberOf(
    'yes',
    'no',
    'variants',
    'variant',
    'appName',
    'featureName',
    'environment',
    'timestamp',
    'x',
    '\\u0079es',
  ),
  1,
);
const toggleName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c', '1') },
  { weight: 1, arbitrary: fc.constantFrom('toggles', '__proto__', 'ü', '\\u0061', '') },
);
const toggles = fc
  .array(fc.tuple(toggleName, toggle), { maxLength: 3 })
  .map((all) => `{${all.map(([name, counts]) => `"${name}":${counts}`).join(',')}}`);
const togglesMember = fc
  .tuple(
    fc.constantFrom('toggles', 'toggles', 'toggle\\u0073', 'a\\"toggles'),
    fc.oneof(toggles, toggles, value),
  )
  .map(([name, text]) => `"${name}":${text}`);
const bucket = togglesMember.chain((member) =>
  listOf(
    [`"start":${START}`, `"stop":${STOP}`, member],
    fc.oneof(memberOf('start', 'stop', 'x'), togglesMember),
    1,
  ),
);
/** Bodies of SDKs as text, many of them odd. */
export const sdkTexts = bucket.chain((text) =>
  listOf(
    ['"appName":"shop"', '"instanceId":"i-1"', `"bucket":${text}`],
    memberOf(
      'appName',
      'instanceId',
      'environment',
      'sdkVersion',
      'sdkType',
      'platformName',
      'bucket',
      'impactMetrics',
      'toggles',
      'x',
    ),
  ),
);

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { FlagmeterError } from '#base/runtime';
import type { ImportFormat } from '../../../../services/cli/commands/exchange/import-formats.ts';
import { readImportFile } from '../../../../services/cli/commands/exchange/read-import-file.ts';

/** All members that https://flagd.dev/reference/flag-definitions describes. */
const FLAGD = {
  $schema: 'https://flagd.dev/schema/v0/flags.json',
  metadata: { flagSetId: 'shop', version: 'v1' },
  flags: {
    banner: {
      state: 'ENABLED',
      variants: { on: true, off: false },
      defaultVariant: 'off',
      targeting: { if: [{ $ref: 'isStaff' }, 'on', 'off'] },
      metadata: { version: 'v2', description: 'The banner', owner: 'growth', isTemporary: true, retries: 3 },
    },
    theme: {
      state: 'DISABLED',
      variants: { light: { colour: '#fff' } },
      defaultVariant: null,
      targeting: {},
    },
  },
  $evaluators: { isStaff: { ends_with: [{ var: 'email' }, '@shop.example'] } },
};

/** All members that https://gofeatureflag.org/docs/configure_flag/flag_format describes. */
const GO_FEATURE_FLAG = `
base: &base
  variations: &switch
    on: true
    off: false
  defaultRule:
    variation: off
second-flag:
  <<: *base
  variations: *switch
  bucketingKey: teamId
  targeting:
    - name: staff
      query: key eq "staff"
      percentage: { on: 10, off: 90 }
  experimentation: { start: 2026-03-20T00:00:00.1-05:00, end: 2026-03-21T00:00:00.1-05:00 }
  scheduledRollout: [{ date: 2026-04-10T00:00:00.1+02:00, version: "2" }]
  disable: true
  trackEvents: false
  version: "12"
  metadata:
    description: This is my second flag
    issue-link: https://tracker.example/7
    reviewers: [ann, ben]
`;

describe('reading flags of other systems to import', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-flags-'));
  });
  after(() => rm(directory, { recursive: true }));

  const read = async (content: string, environment?: string, format?: ImportFormat) => {
    const file = path.join(directory, 'flags');
    await writeFile(file, content);
    return readImportFile({ file, environment, format });
  };

  const problemOf = async (content: object | string, environment?: string): Promise<string> => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const error = await read(text, environment).catch((problem: unknown) => problem);
    expect(error).to.be.instanceOf(FlagmeterError);
    return (error as FlagmeterError).message;
  };

  it('converts a file of flagd, and counts what has no place', async () => {
    const { document, omitted } = await read(JSON.stringify(FLAGD), 'production');
    expect(document).to.deep.equal({
      format: 'flagmeter',
      version: 1,
      features: [
        {
          name: 'banner',
          project: 'default',
          type: 'release',
          description: 'The banner',
          owner: 'growth',
          tags: ['flagSetId:shop', 'isTemporary:true', 'retries:3', 'version:v2'],
        },
        { name: 'theme', project: 'default', type: 'release', tags: ['flagSetId:shop', 'version:v1'] },
      ],
      environments: [{ name: 'production', type: 'unknown' }],
      feature_environments: [
        { feature_name: 'banner', environment: 'production', enabled: true },
        { feature_name: 'theme', environment: 'production', enabled: false },
      ],
    });
    expect(omitted).to.deep.equal({ states: 0, metadata: 0, variants: 3, targeting: 1, $evaluators: 1 });
  });

  it('leaves out states if no environment is named', async () => {
    const { document, omitted } = await read(JSON.stringify(FLAGD));
    expect(document).to.have.all.keys('format', 'version', 'features');
    expect(omitted).to.include({ states: 2 });
  });

  it('converts a list of flags of flagd, and YAML', async () => {
    const list = Object.entries(FLAGD.flags).map(([key, flag]) => ({ key, ...flag }));
    const expected = await read(JSON.stringify(FLAGD), 'test');
    expect(await read(JSON.stringify({ ...FLAGD, flags: list }), 'test')).to.deep.equal(expected);
    expect(await read(stringify(FLAGD), 'test')).to.deep.equal(expected);
  });

  it('converts the flags that the real flagd provider of the tests reads', async () => {
    const { document } = await read(
      await readFile('test/support/senders/sdks/openfeature/flags.flagd.json', 'utf8'),
      'test',
    );
    expect(document.features).to.have.length(5);
  });

  it('converts YAML of GO Feature Flag with anchors, and counts what has no place', async () => {
    const { document, omitted } = await read(GO_FEATURE_FLAG, 'production');
    expect(document.features).to.deep.equal([
      { name: 'base', project: 'default', type: 'release', tags: [] },
      {
        name: 'second-flag',
        project: 'default',
        type: 'release',
        description: 'This is my second flag',
        tags: ['issue-link:https://tracker.example/7'],
      },
    ]);
    expect(document.feature_environments).to.deep.equal([
      { feature_name: 'base', environment: 'production', enabled: true },
      { feature_name: 'second-flag', environment: 'production', enabled: false },
    ]);
    expect(omitted).to.deep.equal({
      states: 0,
      metadata: 1,
      variations: 4,
      targeting: 1,
      defaultRule: 2,
      scheduledRollout: 1,
      experimentation: 1,
      bucketingKey: 1,
      trackEvents: 1,
      version: 1,
    });
  });

  it('takes the format that is named', async () => {
    const flag = { state: 'ENABLED', variations: { on: true }, variants: {} };
    const file = JSON.stringify({ flags: { variations: flag } });
    expect((await read(file)).document.features).to.have.nested.property('[0].name', 'flags');
    expect((await read(file, undefined, 'flagd')).document.features).to.have.nested.property(
      '[0].name',
      'variations',
    );
  });

  it('names the path of a wrong member', async () => {
    expect(await problemOf({ flags: { a: { state: 'ON' } } })).to.match(
      /file of flagd has a mistake:\n {2}\/flags/,
    );
    expect(await problemOf({ a: { variations: {}, disable: 'yes' } })).to.match(
      /GO Feature Flag has a mistake:\n {2}\/\*\/disable must be boolean/,
    );
    expect(await problemOf({ ['a'.repeat(300)]: { variations: {} } })).to.match(/\/features\/0\/name/);
    expect(await problemOf({ format: 'flagmeter', version: 1 }, 'test')).to.match(/leave out --environment/);
  });

  it('does not unfold a bomb of anchors', async () => {
    const lines = ['a0: &a0 [x]'];
    for (let level = 1; level < 30; level += 1)
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    expect(await problemOf(lines.join('\n'))).to.equal('The file is neither JSON nor YAML.');
  });
});

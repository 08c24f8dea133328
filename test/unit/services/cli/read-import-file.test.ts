import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FlagmeterError } from '#base/runtime';
import {
  type ImportFile,
  readImportFile,
} from '../../../../services/cli/commands/exchange/read-import-file.ts';
import { anUnleashExport } from '../../../support/builders/unleash-export.ts';

describe('reading a file to import', () => {
  let directory: string;
  let file: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flagmeter-import-'));
    file = join(directory, 'file.json');
  });
  after(() => rm(directory, { recursive: true }));

  const read = async (content: unknown, maxBytes?: number, options: Omit<ImportFile, 'file'> = {}) => {
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return readImportFile({ file, ...options }, maxBytes);
  };
  const problemOf = async (content: unknown, maxBytes?: number): Promise<string> => {
    const error = await read(content, maxBytes).catch((problem: unknown) => problem);
    expect(error).to.be.instanceOf(FlagmeterError);
    return (error as FlagmeterError).message;
  };

  it('returns an export of flagmeter as it is', async () => {
    const document = { format: 'flagmeter', version: 1, features: [{ name: 'f', project: 'default' }] };
    expect(await read(document)).to.deep.equal({ document, omitted: {} });
  });

  it('converts features, projects and environments of an export of Unleash', async () => {
    const { document } = await read(anUnleashExport());
    expect(document.projects).to.deep.equal([{ id: 'shop', name: 'shop' }]);
    expect(document.environments).to.deep.equal([{ name: 'production', type: 'unknown' }]);
    const [basket, old] = document.features ?? [];
    expect(basket).to.deep.equal({
      name: 'basket',
      project: 'shop',
      type: 'release',
      description: 'The basket',
      stale: false,
      tags: ['simple:shop'],
      impression_data: true,
      archived_at: null,
    });
    expect(old).to.deep.include({ tags: [] });
    expect(old).to.have.property('archived_at').that.is.a('string');
  });

  it('converts the strategies of a feature in their order, and its variants', async () => {
    const { document } = await read(anUnleashExport());
    const [basket] = document.feature_environments ?? [];
    expect(basket).to.include({ feature_name: 'basket', environment: 'production', enabled: true });
    expect(basket).to.have.nested.property('variants[0].name', 'red');
    expect(basket)
      .to.have.nested.property('strategies[0]')
      .that.deep.equals({
        id: 'first',
        name: 'flexibleRollout',
        title: null,
        disabled: false,
        parameters: { groupId: 'basket', rollout: '25', stickiness: 'default' },
        constraints: [{ contextName: 'country', operator: 'IN', values: ['de'] }],
        segments: [4],
        variants: [
          { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default', payload: undefined },
        ],
      });
    expect(basket).to.have.nested.property('strategies[1].disabled', true);
  });

  it('counts what has no place in flagmeter', async () => {
    const file = anUnleashExport();
    const stranger = { name: 'default', featureName: 'stranger' };
    const { omitted } = await read({ ...file, featureStrategies: [...file.featureStrategies, stranger] });
    expect(omitted).to.deep.equal({
      featureEnvironments: 0,
      featureStrategies: 1,
      contextFields: 1,
      dependencies: 0,
      links: 0,
      segments: 1,
      tagTypes: 1,
    });
  });

  it('names the path of a wrong member', async () => {
    expect(await problemOf(anUnleashExport({ features: [{ name: 7, project: 'shop' }] }))).to.equal(
      'This export of Unleash has a mistake:\n  /features/0/name must be string, is number',
    );
    expect(await problemOf(anUnleashExport({ featureEnvironments: undefined }))).to.match(
      /featureEnvironments/,
    );
    const feature = { name: '', project: 'default' };
    expect(await problemOf({ format: 'flagmeter', version: 1, features: [feature] })).to.match(
      /\/features\/0\/name /,
    );
  });

  it('rejects a file with several environments, because strategies do not name theirs', async () => {
    const file = anUnleashExport();
    const other = { featureName: 'old', environment: 'development', enabled: true };
    expect(await problemOf({ ...file, featureEnvironments: [...file.featureEnvironments, other] })).to.match(
      /2 environments\. Export each environment/,
    );
  });

  it('says that the older state export is not supported', async () => {
    const state = { version: 4, features: [], strategies: [], projects: [], featureStrategies: [] };
    expect(await problemOf(state)).to.match(/state\/export.*features-batch\/export/);
  });

  it('rejects files that have no known format, or are neither JSON nor YAML', async () => {
    const NEITHER =
      'The file is no export of flagmeter or Unleash, and no flag file of flagd or GO Feature Flag. --format says which one it is.';
    for (const content of [[], 'null', {}, { format: 'other', version: 1 }, { features: [] }])
      expect(await problemOf(content)).to.equal(NEITHER);
    expect(await problemOf('{')).to.equal('The file is neither JSON nor YAML.');
  });

  it('stops reading a file beyond the limit', async () => {
    expect(await problemOf(anUnleashExport(), 1000)).to.equal('The file has more than 0.001 MB.');
  });
});

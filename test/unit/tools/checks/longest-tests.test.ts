import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { LONGEST } from '../../../../tools/run/suite/test-files.ts';

describe('the list of the slowest tests', () => {
  it('names existing files, because a test that moved would start last', () => {
    expect(LONGEST.filter((file) => !existsSync(file))).to.deep.equal([]);
  });
});

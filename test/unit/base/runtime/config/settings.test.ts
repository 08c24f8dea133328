import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { settingsCsv } from '../../../../../tools/docs/settings.ts';

describe('docs/operate/settings.csv', () => {
  it('lists every setting with its default and bounds: run "make dictionary"', () => {
    const list = readFileSync('docs/operate/settings.csv', 'utf8');
    expect(list).to.include('\nKAFKA_BROKERS,required,,');
    expect(list).to.include('\nMAX_VARIANTS,100,1 to 1000,');
    expect(settingsCsv()).to.equal(list);
  });
});

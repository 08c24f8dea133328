import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { configSchema } from '#base/runtime';
import { filesIn, textOf } from '../../../../support/documents/sources.ts';

const CONFIG = 'packages/base/runtime/config';
/** A typed value, and the setting that it is. */
const VALUE = /^\s+(\w+): env\.([A-Z\d_]+),$/gm;

describe('every setting', () => {
  const ofConfig = filesIn(CONFIG).filter((file) => !file.includes('/settings/'));

  it('is read into the typed configuration', () => {
    const read = new Set(textOf(ofConfig).match(/\b[A-Z][A-Z\d_]+\b/g));
    expect(Object.keys(configSchema.properties).filter((name) => !read.has(name))).to.deep.equal([]);
  });

  it('has an effect: something outside of the configuration uses its value', () => {
    const values = ofConfig.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(VALUE)]);
    expect(values).to.have.length.above(50);
    const code = textOf(
      filesIn('services', 'packages').filter(
        (file) => /\.tsx?$/.test(file) && !file.startsWith(`${CONFIG}/`),
      ),
    );
    const used = new Set(code.match(/\b[a-z]\w+\b/g));
    expect(values.filter(([, member = '']) => !used.has(member)).map(([, , name]) => name)).to.deep.equal([]);
  });
});

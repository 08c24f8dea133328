import { expect } from 'chai';
import { transformSync } from 'esbuild';
import { textWith } from '../../simulation/defects/defect.ts';
import { DEFECTS } from '../../simulation/defects/defects.ts';

/** Found here in a moment, not after the simulation has run for a minute. */
describe('the defects that the simulation must find', () => {
  for (const defect of DEFECTS)
    it(`change the code, which still has no error of syntax: ${defect.name}`, () => {
      const text = textWith(defect);
      expect(text).to.include(defect.to);
      expect(() => transformSync(text, { loader: 'ts' })).to.not.throw();
    });

  it('have names of their own', () => {
    expect(new Set(DEFECTS.map(({ name }) => name)).size).to.equal(DEFECTS.length);
  });
});

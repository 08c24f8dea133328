import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { RULES } from '../../../support/senders/zoo/rules.ts';

describe('the contract of the endpoints', () => {
  it('numbers the rules by which flagmeter differs from Unleash as unleash-bodies.csv does', () => {
    const page = readFileSync('docs/use/senders/contract.md', 'utf8');
    const rules = RULES.map(({ text, reason }, index) => `${index + 1}. ${text} ${reason}`);
    expect(page.match(/^\d+\. .*$/gm)).to.deep.equal(rules);
  });
});

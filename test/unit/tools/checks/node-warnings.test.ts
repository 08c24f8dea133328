import { expect } from 'chai';
import { warningsOfNode } from '../../../support/stack/processes/node-warnings.ts';

describe('warnings of Node in the log of a process', () => {
  it('are found, with their name', () => {
    const warning =
      '(node:71) MaxListenersExceededWarning: Possible EventEmitter memory leak detected. 11 close listeners added';
    const deprecation = '(node:71) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.';
    const log = `{"level":30,"msg":"ready"}\n${warning}\n${deprecation}\n(Use \`node --trace-warnings ...\`)\n`;
    expect(warningsOfNode(log)).to.deep.equal([warning, deprecation]);
  });

  it('are left out if they are expected, or only quoted', () => {
    const expected =
      '(node:71) ExperimentalWarning: The MockTimers API is an experimental feature and might change at any time';
    expect(warningsOfNode(`${expected}\n{"msg":"(node:71) Warning: x"}`)).to.deep.equal([]);
  });
});

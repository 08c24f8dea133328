import { expect } from 'chai';
import { quoteIdentifier, quoteText } from '#core/clickhouse';

describe('quoting for SQL', () => {
  it('keeps every character of a name, and lets none end it', () => {
    expect(quoteIdentifier('usage_daily')).to.equal('`usage_daily`');
    expect(quoteIdentifier("a`b\\c'd``")).to.equal("`a\\`b\\\\c'd\\`\\``");
  });

  it('keeps every character of a text, and lets none end it', () => {
    expect(quoteText('production')).to.equal("'production'");
    expect(quoteText("it's\\ `so`''")).to.equal("'it\\'s\\\\ `so`\\'\\''");
  });
});

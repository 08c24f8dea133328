import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { withSettings } from '../../../../../tools/docs/settings.ts';

describe('docs/operate/settings.md', () => {
  it('lists every setting with its default and bounds: run "make dictionary"', () => {
    const document = readFileSync('docs/operate/settings.md', 'utf8');
    expect(document).to.include('`KAFKA_BROKERS` (required): ');
    expect(withSettings(document)).to.equal(document);
  });
});

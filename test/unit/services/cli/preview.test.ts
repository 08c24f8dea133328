import { expect } from 'chai';
import { previewOf } from '../../../../services/cli/commands/dead/list.ts';
import { bytesOf } from '../../../support/builders/builders.ts';

describe('previewOf', () => {
  it('shows text, but no characters that move a cursor or hide text', () => {
    expect(previewOf(bytesOf('{"v":1,"name":"Größe 🧺"}'))).to.equal('{"v":1,"name":"Größe 🧺"}');
    expect(previewOf(bytesOf('a\u001b[2J\n\u202eb\u0000'))).to.equal('a\\u{1b}[2J\\u{a}\\u{202e}b\\u{0}');
  });

  it('shows other bytes in hex, and a missing value as such', () => {
    expect(previewOf(Uint8Array.of(0xff, 0x00, 0xc3))).to.equal('ff00c3');
    expect(previewOf(null)).to.equal('(no value)');
  });

  it('shows only the beginning', () => {
    expect(previewOf(bytesOf('x'.repeat(5000)))).to.equal(
      `${'x'.repeat(2000)}\n... and 3000 characters more`,
    );
    const lines = previewOf(new Uint8Array(1000).fill(0xff)).split('\n');
    expect(lines).to.have.length(9);
    expect(lines.at(-1)).to.equal('... and 744 bytes more');
  });
});

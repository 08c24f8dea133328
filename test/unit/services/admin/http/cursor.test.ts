import { expect } from 'chai';
import { Denial } from '../../../../../services/admin/denial.ts';
import { decodeCursor, encodeCursor } from '../../../../../services/admin/http/requests/cursor.ts';

const KINDS = ['time', 'text'] as const;

describe('cursors', () => {
  it('hold the values of the keys', () => {
    const keys = ['1764000000123456', 'a "b" \u00e9'];
    expect(decodeCursor(encodeCursor('-createdAt', keys), '-createdAt', KINDS)).to.deep.equal(keys);
  });

  const HOSTILE: Readonly<Record<string, string>> = {
    'of another sort': encodeCursor('createdAt', ['1', 'a']),
    'with a key too few': encodeCursor('-createdAt', ['1']),
    'with a key too many': encodeCursor('-createdAt', ['1', 'a', 'b']),
    'with a time that is none': encodeCursor('-createdAt', ["1' or true", 'a']),
    'with a negative time': encodeCursor('-createdAt', ['-1', 'a']),
    'with a time that is too large': encodeCursor('-createdAt', ['9'.repeat(17), 'a']),
    'with a text that Postgres cannot store': encodeCursor('-createdAt', ['1', '\0']),
    'with a text that is too long': encodeCursor('-createdAt', ['1', 'x'.repeat(256)]),
    'with numbers for texts': Buffer.from('["-createdAt",1,2]').toString('base64url'),
    'that is an object': Buffer.from('{"length":3}').toString('base64url'),
    'that is no JSON': 'abc',
    'that is empty': '',
    'that is too long': 'A'.repeat(5000),
  };
  for (const [title, cursor] of Object.entries(HOSTILE))
    it(`are rejected: one ${title}`, () => {
      expect(() => decodeCursor(cursor, '-createdAt', KINDS)).to.throw(Denial);
    });
});

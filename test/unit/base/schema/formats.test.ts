import { expect } from 'chai';
import { problemsOf, compileGuard } from '#base/schema';

const CASES = [
  { format: 'date-time', value: '2026-02-28T23:59:59.123456Z', isValid: true },
  { format: 'date-time', value: '2024-02-29T00:00:00+05:30', isValid: true },
  { format: 'date-time', value: '2026-02-30T00:00:00Z', isValid: false },
  { format: 'date-time', value: '2026-02-28T24:00:00Z', isValid: false },
  { format: 'date-time', value: '2026-12-31T23:59:60Z', isValid: false },
  { format: 'date-time', value: '2026-02-28 23:59:59Z', isValid: false },
  { format: 'date-time', value: '2026-02-28T23:59:59', isValid: false },
  { format: 'date', value: '2024-02-29', isValid: true },
  { format: 'date', value: '2026-02-29', isValid: false },
  { format: 'date', value: '2026-2-1', isValid: false },
  { format: 'uuid', value: '6BA7B810-9dad-11d1-80b4-00c04fd430c8', isValid: true },
  { format: 'uuid', value: '6ba7b8109dad11d180b400c04fd430c8', isValid: false },
  { format: 'time-zone', value: 'Europe/Berlin', isValid: true },
  { format: 'time-zone', value: 'UTC', isValid: true },
  { format: 'time-zone', value: 'Etc/GMT+5', isValid: true },
  { format: 'time-zone', value: 'Europe/Atlantis', isValid: false },
  { format: 'time-zone', value: '+01:00', isValid: false },
  { format: 'time-zone', value: '', isValid: false },
  { format: 'storable', value: 'new-basket', isValid: true },
  { format: 'storable', value: 'new\0basket', isValid: false },
  { format: 'storable', value: '\ud83e', isValid: false },
] as const;

describe('formats of schemas', () => {
  for (const { format, value, isValid } of CASES)
    it(`${isValid ? 'accept' : 'reject'} ${JSON.stringify(value)} as ${format}`, () => {
      expect(compileGuard({ type: 'string', format })(value)).to.equal(isValid);
    });

  it('say which character cannot be stored', () => {
    const messageOf = (format: string, value: string) => {
      const isValid = compileGuard({ type: 'string', format });
      isValid(value);
      return problemsOf(isValid).map(({ message }) => message);
    };
    expect(messageOf('storable', 'a\0b')).to.deep.equal(['must not hold NUL']);
    expect(messageOf('storable', 'a\ud83e')).to.deep.equal(['must not hold half of a surrogate pair']);
    for (const value of ['a\nb', 'a\ud83e'])
      expect(messageOf('name', value)).to.deep.equal([
        'must be a name without control characters or halves of surrogate pairs',
      ]);
  });
});

import { expect } from 'chai';
import { type SchemaProblem, problemsOf, compileGuard } from '#base/schema';

/** The problems of a value with a schema. */
function problems(schema: Readonly<Record<string, unknown>>, value: unknown): SchemaProblem[] {
  const guard = compileGuard(schema);
  expect(guard(value)).to.equal(false);
  return problemsOf(guard);
}

describe('problemsOf', () => {
  const FORMATS = [
    ['timestamp', 'must be an ISO 8601 date and time that exists'],
    ['date-time', 'must be an RFC 3339 date and time'],
    ['date', 'must be a day, such as 2026-11-21'],
    ['time-zone', 'must be a time zone, such as Europe/Berlin'],
    ['name', 'must be a name without control characters or halves of surrogate pairs'],
    ['storable', 'must not hold NUL'],
    ['uuid', 'must match format "uuid"'],
  ] as const;
  for (const [format, message] of FORMATS)
    it(`explains the format ${format}`, () => {
      expect(problems({ type: 'string', format }, 'wrong\0')).to.deep.equal([{ path: '', message }]);
    });

  it('says that a number is too large', () => {
    const message = 'must be number, is a number beyond 1.8e308';
    expect(problems({ type: 'number' }, JSON.parse('1e400'))).to.deep.equal([{ path: '', message }]);
  });

  const TYPES = [
    [7, 'number'],
    [null, 'null'],
    [[7], 'array'],
    [{}, 'object'],
  ] as const;
  for (const [value, type] of TYPES)
    it(`names the types that may be, and that ${JSON.stringify(value)} is of the type ${type}`, () => {
      expect(problems({ type: 'string' }, value)).to.deep.equal([
        { path: '', message: `must be string, is ${type}` },
      ]);
      expect(problems({ type: ['string', 'boolean'] }, value)).to.deep.equal([
        { path: '', message: `must be string or boolean, is ${type}` },
      ]);
    });

  it('lists the values that may be', () => {
    expect(problems({ enum: ['asc', 'desc'] }, 'up')).to.deep.equal([
      { path: '', message: 'must be one of asc, desc' },
    ]);
  });

  it('passes on what the validator says about other rules', () => {
    expect(problems({ type: 'integer', minimum: 3 }, 2)).to.deep.equal([
      { path: '', message: 'must be >= 3' },
    ]);
  });

  it('names the place, with * for names that the body has chosen', () => {
    const schema = {
      properties: {
        counts: { items: { additionalProperties: { properties: { yes: { type: 'integer' } } } } },
      },
    };
    expect(problems(schema, { counts: [{}, { secret: { yes: '1' } }] })).to.deep.equal([
      { path: '/counts/1/*/yes', message: 'must be integer, is string' },
    ]);
  });

  it('finds none before the first call', () => {
    expect(problemsOf({ errors: null })).to.deep.equal([]);
    expect(problemsOf({})).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { onlyMembers, selectMembers } from '#base/postgres';
import { members, nullableTime, text } from '#base/schema';

const SCHEMA = members({
  tokenName: text('Name.'),
  seenAt: nullableTime('Last use.'),
  places: text('Where.'),
});

describe('the members of a schema in a SELECT', () => {
  it('have the names of the schema, from columns in snake case', () => {
    expect(selectMembers(SCHEMA, { table: 't', sql: { places: 'count(*)' } })).to.equal(
      `t.token_name as "tokenName", to_char(t.seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "seenAt", count(*) as "places"`,
    );
  });

  it('are all that stays of a row', () => {
    const row = { tokenName: 'a', seenAt: null, places: 'b', size_bytes: 7 };
    expect(onlyMembers(SCHEMA, row)).to.deep.equal({ tokenName: 'a', seenAt: null, places: 'b' });
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { decodeCounts } from '#core/counting';
import {
  GROUPS_THAT_POINT_AT_NAMES,
  MESSAGE,
  ROWS_THAT_POINT_AT_GROUPS,
  ROWS_THAT_POINT_AT_NAMES,
  bytesOfMessage,
  withEachInteger,
  withEachName,
  withEachRefusedName,
  withRowsCutShort,
} from '../../../../support/builders/spoilt-messages.ts';

const NO_COUNTS = [-1, 0.5, 2 ** 53, 1e300, '1', true, null, [], {}];
const NO_NAMES = ['a\u0000b', 'a\u007fb', 'a\u0085b', '\ud800', 'a\udc00', 'x'.repeat(256), 7, null, ['a']];
const NO_REFUSALS = [
  null,
  {},
  [],
  ['metric'],
  ['row', 'too_old', '', '', '', 2, ''],
  ['metric', 'why', '', '', '', 2, ''],
  ['metric', 'too_old', '', '', '', 2],
];

describe('decodeCounts of a spoilt message', () => {
  it('decodes the unspoilt message', () => {
    expect(problemOf(MESSAGE)).to.equal(undefined);
  });

  it('rejects every truncation', () => {
    const bytes = bytesOfMessage(MESSAGE);
    const truncated = Array.from(bytes, (_, length) => decodeCounts(bytes.subarray(0, length)));
    expect(truncated.filter((result) => 'message' in result)).to.deep.equal([]);
  });

  it('rejects bytes after the message', () => {
    expect(decodeCounts(Buffer.concat([bytesOfMessage(MESSAGE), Buffer.of(0)]))).to.deep.equal({
      problem: 'bad rows',
    });
  });

  it('rejects a number of a row beyond 2^53-1', () => {
    const head = bytesOfMessage({ ...MESSAGE, received: 2, rows: [] });
    const row = (lastByte: number): Uint8Array =>
      Buffer.from([0, 0, 0, ...Array.from({ length: 7 }, () => 0xff), lastByte, 0, 0]);

    expect(decodeCounts(Buffer.concat([head, row(0x0f)]))).to.have.property('message');
    expect(decodeCounts(Buffer.concat([head, row(0x10)]))).to.deep.equal({ problem: 'bad rows' });
    const endless = Buffer.alloc(100_000, 0xff);
    expect(decodeCounts(Buffer.concat([head, endless]))).to.deep.equal({ problem: 'bad rows' });
  });

  it('rejects a receipt after the last hour that ClickHouse can store', () => {
    const last = Date.UTC(2106, 1, 7, 5);
    expect(problemOf({ ...MESSAGE, at: last })).to.equal(undefined);
    expect(problemOf({ ...MESSAGE, at: last + 1 })).to.equal('bad time or number received');
  });

  it('rejects bytes that are not UTF-8', () => {
    const bytes = bytesOfMessage(MESSAGE);
    bytes[bytes.indexOf('b'.charCodeAt(0))] = 0xff;
    expect(decodeCounts(bytes)).to.deep.equal({ problem: 'not JSON' });
  });

  for (const v of [0, 2, '1', null, undefined]) {
    it(`rejects the version ${String(v)} (${typeof v})`, () => {
      expect(problemOf({ ...MESSAGE, v })).to.equal('unknown version');
    });
  }

  for (const member of ['id', 'at', 'token', 'received', 'names', 'groups', 'refused']) {
    it(`rejects a message without ${member}`, () => {
      expect(problemOf({ ...MESSAGE, [member]: undefined })).to.be.a('string');
    });

    it(`rejects an object for ${member}`, () => {
      expect(problemOf({ ...MESSAGE, [member]: { length: 0 } })).to.be.a('string');
    });
  }

  for (const position of ROWS_THAT_POINT_AT_NAMES) {
    it(`rejects rows whose integer ${position} points outside the names`, () => {
      expect(problemOf({ ...MESSAGE, rows: MESSAGE.rows.with(position, 6) })).to.equal('bad rows');
    });
  }

  for (const position of ROWS_THAT_POINT_AT_GROUPS) {
    it(`rejects rows whose integer ${position} points outside the groups`, () => {
      expect(problemOf({ ...MESSAGE, rows: MESSAGE.rows.with(position, 2) })).to.equal('bad rows');
    });
  }

  for (const position of GROUPS_THAT_POINT_AT_NAMES) {
    it(`rejects groups whose integer ${position} points outside the names`, () => {
      expect(problemOf({ ...MESSAGE, groups: MESSAGE.groups.with(position, 6) })).to.equal('bad groups');
    });
  }

  it('rejects an hour that ClickHouse cannot hold, but not the hour before', () => {
    expect(problemOf({ ...MESSAGE, groups: MESSAGE.groups.with(2, 1_193_045) })).to.equal(undefined);
    expect(problemOf({ ...MESSAGE, groups: MESSAGE.groups.with(2, 1_193_046) })).to.equal('bad groups');
  });

  it('rejects groups that are not triples', () => {
    expect(problemOf({ ...MESSAGE, groups: [...MESSAGE.groups, 1] })).to.equal('bad groups');
  });

  it('rejects rows that are cut short, at any position', () => {
    expect(withRowsCutShort().map(problemOf)).to.deep.equal(withRowsCutShort().map(() => 'bad rows'));
  });

  it('rejects an immense number of variants', () => {
    expect(problemOf({ ...MESSAGE, rows: MESSAGE.rows.with(19, 2 ** 53 - 1) })).to.equal('bad rows');
  });

  it('rejects a message that lacks a whole row', () => {
    const rows = MESSAGE.rows.slice(0, 14);
    expect(problemOf({ ...MESSAGE, rows })).to.equal('received is not counted + refused');
  });

  for (const received of [5, 7]) {
    it(`rejects ${received} received if 6 are accounted for`, () => {
      expect(problemOf({ ...MESSAGE, received })).to.equal('received is not counted + refused');
    });
  }

  it('rejects samples that are neither counted nor refused', () => {
    expect(problemOf({ ...MESSAGE, impact: [0, [], []] })).to.equal(undefined);
    expect(problemOf({ ...MESSAGE, impact: [1, [], []] })).to.equal(
      'received samples are not counted + refused',
    );
    const refused = [...MESSAGE.refused, ['sample', 'too_old', '', '', '', 1, '']];
    expect(problemOf({ ...MESSAGE, refused, impact: [1, [], []] })).to.equal(undefined);
  });

  for (const wrong of NO_COUNTS) {
    it(`rejects ${JSON.stringify(wrong)} in the place of any integer`, () => {
      expect(withEachInteger(wrong).map(problemOf)).not.to.include(undefined);
    });
  }

  for (const wrong of ['', ...NO_NAMES]) {
    it(`rejects ${JSON.stringify(wrong).slice(0, 20)} in the place of any name`, () => {
      expect(withEachName(wrong).map(problemOf)).not.to.include(undefined);
    });
  }

  it('accepts the longest name', () => {
    expect(withEachName('x'.repeat(255)).map(problemOf)).not.to.include('bad names');
  });

  for (const wrong of NO_NAMES) {
    it(`rejects ${JSON.stringify(wrong).slice(0, 20)} in the place of any name of a refusal`, () => {
      expect(withEachRefusedName(wrong).map(problemOf)).not.to.include(undefined);
    });
  }

  for (const refusal of NO_REFUSALS) {
    it(`rejects ${JSON.stringify(refusal)} as a refusal`, () => {
      expect(problemOf({ ...MESSAGE, refused: [refusal] })).to.equal('bad refusals');
    });
  }

  it('rejects arbitrary JSON in the place of a list', () => {
    const lists = fc.constantFrom('names', 'groups', 'refused');
    fc.assert(
      fc.property(lists, fc.jsonValue(), (member, value) => {
        expect(problemOf({ ...MESSAGE, [member]: value })).to.be.a('string');
      }),
    );
  });
});

function problemOf(message: Parameters<typeof bytesOfMessage>[0]): string | undefined {
  const result = decodeCounts(bytesOfMessage(message));
  return 'problem' in result ? result.problem : undefined;
}

import { expect } from 'chai';
import { AnswerReader } from '../../../../packages/tooling/traffic/load/answer-reader.ts';

/** The answers that a reader finds in bytes that arrive in pieces of `size`. */
function read(text: string, size = text.length) {
  const reader = new AnswerReader();
  const answers = [];
  for (let at = 0; at < text.length; at += size) {
    answers.push(reader.read(Buffer.from(text.slice(at, at + size))));
  }
  return answers.filter((answer) => answer !== undefined);
}

const EMPTY = 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n';
const PROBLEM =
  'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 13\r\nConnection: close\r\n\r\n{"name":"no"}';
const CHUNKED = 'HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwrong\r\n0\r\n\r\n';

describe('AnswerReader', () => {
  it('reads an answer that arrives byte by byte', () => {
    expect(read(PROBLEM, 1)).to.deep.equal([{ status: 503, mayReuse: false }]);
    expect(read(CHUNKED, 1)).to.deep.equal([{ status: 400, mayReuse: true }]);
  });

  it('reads one answer after another', () => {
    expect(read(EMPTY + EMPTY, EMPTY.length)).to.deep.equal([
      { status: 202, mayReuse: true },
      { status: 202, mayReuse: true },
    ]);
  });

  it('rejects bytes that are no answer, declare no length, or have no end', () => {
    expect(() => read('SSH-2.0-x\r\n\r\n')).to.throw(RangeError);
    expect(() => read('HTTP/1.1 200 OK\r\n\r\n')).to.throw(RangeError);
    expect(() => read('x'.repeat(70_000))).to.throw(RangeError);
  });
});

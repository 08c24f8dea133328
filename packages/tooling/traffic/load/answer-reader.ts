export type Answer = { readonly status: number; readonly mayReuse: boolean };

/** The maximum length of an answer to a batch. A longer answer is an error. */
const MAX_LENGTH = 65_536;

/** Reads the answers of one connection, one at a time. It supports the part of HTTP/1.1 that answers to a POST need. */
export class AnswerReader {
  #text = '';

  /** Returns the answer that these bytes complete; undefined if it is incomplete. Throws if we cannot parse it. */
  read(chunk: Buffer): Answer | undefined {
    this.#text += chunk.toString('latin1');
    if (this.#text.length > MAX_LENGTH) throw new RangeError('the answer is too long');
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = this.#text.slice(0, end).toLowerCase();
    const status = Number(/^http\/1\.1 (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new RangeError('this is not an answer of HTTP/1.1');
    if (!this.#isWhole(head, end + 4, status)) return undefined;
    this.#text = '';
    return { status, mayReuse: !/\r\nconnection: *close/.test(head) };
  }

  #isWhole(head: string, bodyAt: number, status: number): boolean {
    if (status === 204 || status === 304) return true;
    if (/\r\ntransfer-encoding: *chunked/.test(head)) return this.#text.endsWith('0\r\n\r\n');
    const length = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) throw new RangeError('the answer does not declare its length');
    return this.#text.length >= bodyAt + length;
  }
}

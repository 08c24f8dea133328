import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../problems/problems.ts';

/** Checks the requirements of HTTP/1.1. Node would check them too, but answer without the error body of the contract. */
export function checkHead({ headers, httpVersion }: IncomingMessage): void {
  if (httpVersion !== '1.1') return;
  if (headers.host === undefined) throw new HttpProblem(400, 'HTTP/1.1 requests must have a Host header.');
  if (headers.expect !== undefined && !/^\s*100-continue\s*$/i.test(headers.expect))
    throw new HttpProblem(417, 'The only supported expectation is 100-continue.');
}

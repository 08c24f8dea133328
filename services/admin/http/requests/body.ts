import type { IncomingMessage } from 'node:http';
import {
  HttpProblem,
  checkContentType,
  checkDeclaredLength,
  encodingOf,
  parseJson,
  readBody,
} from '#base/http';
import { problemOfText } from '#base/schema';

/** The largest body that operations accept, after decompression, unless they name another limit. */
const MAX_BODY_BYTES = 102_400;
/** No valid body nests deeper. The limit bounds the recursion over the bodies of strangers. */
const MAX_DEPTH = 32;

export type JsonBody = { readonly json: unknown; readonly bytes: number };

/** Reads a JSON body that Postgres can store as it was sent, and its length. Throws a 415, 413 or 400 for any other body. */
export async function readJsonBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<JsonBody> {
  checkContentType(request);
  const encoding = encodingOf(request);
  checkDeclaredLength(request, encoding, maxBytes);
  const body = await readBody(request, { encoding, limit: maxBytes });
  const json = parseJson(body);
  const problem = problemOf(json, 0);
  if (problem !== undefined)
    throw new HttpProblem(400, problem, { details: [{ path: '', message: problem }] });
  return { json, bytes: body.length };
}

function problemOf(value: unknown, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return `must not nest deeper than ${MAX_DEPTH}`;
  if (typeof value === 'string') return problemOfText(value);
  if (typeof value === 'number') return problemOfNumber(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const problem = problemOfText(key) ?? problemOf(item, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** JSON has numbers that JavaScript rounds: beyond 2^53 to another whole number, and beyond 1e308 to infinity, which becomes null. */
function problemOfNumber(value: number): string | undefined {
  if (Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)) return undefined;
  return 'must not have numbers beyond 2^53 - 1, because they would be rounded';
}

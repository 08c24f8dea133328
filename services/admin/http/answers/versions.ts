import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HttpProblem } from '#base/http';
import type { AdminRequest, Operation } from '../operation.ts';

/** The answer of an operation on something that has a version, which the router sends as ETag. */
export class Versioned {
  readonly version: number;
  readonly body: unknown;

  /** An undefined body is empty. */
  constructor(version: number, body?: unknown) {
    this.version = version;
    this.body = body;
  }
}

/**
 * The version, and a hash of the body: an answer may contain more than the version covers, such as whether the caller marked a
 * feature as a favourite. If-Match looks only at the version.
 */
export function etagOf({ version, body }: Versioned): string {
  if (body === undefined) return `"${version}"`;
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return `"${version}-${hash.slice(0, 16)}"`;
}

const MAX_HEADER_LENGTH = 1000;

type IfMatch = Pick<AdminRequest, 'isCurrent' | 'namedVersions'>;

/**
 * Reads If-Match. Without the header every version is accepted, so that the last write wins. Throws a 400 for a value that this
 * API never sent. A proxy that compresses answers makes an ETag weak or gives it a suffix; both still name the version.
 */
export function readIfMatch(header: string | undefined): IfMatch {
  if (header === undefined || header.trim() === '*')
    return { isCurrent: () => true, namedVersions: undefined };
  const versions = header.length > MAX_HEADER_LENGTH ? [] : header.split(',').map(versionOf);
  const namedVersions = new Set(versions.filter((version) => version !== undefined));
  if (namedVersions.size === 0 || versions.includes(undefined))
    throw new HttpProblem(400, 'If-Match is not valid: send the ETag of an earlier answer, for example "7".');
  return { isCurrent: (version) => namedVersions.has(version), namedVersions };
}

const ETAG = /^\s*(?:W\/)?"(\d{1,10})(?:[-;][\w.;-]{1,60})?"\s*$/;

function versionOf(etag: string): number | undefined {
  const [, version] = ETAG.exec(etag) ?? [];
  return version === undefined ? undefined : Number(version);
}

/** Throws a 400 for a precondition that the operation does not compare: the caller relies on it. */
export function rejectIgnored(
  headers: Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>,
  { method, ifMatch }: Pick<Operation, 'method' | 'ifMatch'>,
): void {
  if (headers['if-match'] !== undefined && ifMatch === undefined)
    throw new HttpProblem(400, 'This operation does not compare If-Match with a version: leave it out.');
  if (headers['if-none-match'] !== undefined && method !== 'get')
    throw new HttpProblem(400, 'Only reads compare If-None-Match: leave it out of a change.');
}

/** Throws unless If-Match names the one version that the caller has read: 428 without a version, 400 for several versions. */
export function requireVersionRead({ namedVersions }: IfMatch): void {
  if (namedVersions === undefined)
    throw new HttpProblem(428, 'Send If-Match with the ETag of the version that you have read.');
  if (namedVersions.size > 1)
    throw new HttpProblem(400, 'If-Match must name one version here: the one that you have read.');
}

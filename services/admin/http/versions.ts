import { createHash } from 'node:crypto';
import { HttpProblem } from '#http';
import type { VersionCheck } from '../store/version-check.ts';

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

/**
 * Reads If-Match. Without the header every version is accepted, so that the last write wins. Throws a 400 for a value that this
 * API never sent. A proxy that compresses answers makes an ETag weak or gives it a suffix; both still name the version.
 */
export function readIfMatch(header: string | undefined): VersionCheck {
  if (header === undefined || header.trim() === '*') return () => true;
  const accepted = header.length > MAX_HEADER_LENGTH ? [] : header.split(',').map(versionOf);
  if (accepted.length === 0 || accepted.includes(undefined))
    throw new HttpProblem(400, 'If-Match is not valid: send the ETag of an earlier answer, for example "7".');
  return (version) => accepted.includes(version);
}

const ETAG = /^\s*(?:W\/)?"(\d{1,10})(?:[-;][\w.;-]{1,60})?"\s*$/;

function versionOf(etag: string): number | undefined {
  const [, version] = ETAG.exec(etag) ?? [];
  return version === undefined ? undefined : Number(version);
}

/** The answer to a write with an outdated If-Match. */
export function outdated(what: string): HttpProblem {
  return new HttpProblem(
    412,
    `Somebody has changed ${what} in the meantime: read it again, then repeat the change.`,
  );
}

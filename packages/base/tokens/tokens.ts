import { hash, randomBytes } from 'node:crypto';
import type { Grant, RootRole } from './permissions.ts';

/** A `scan` token only reads the names of features and pushes the places in code that have them. */
export type TokenType = 'admin' | 'client' | 'frontend' | 'scan';

/** The user to whom a personal token belongs. */
export type TokenUser = {
  readonly id: number;
  readonly name: string;
  readonly role: RootRole;
  /** Undefined where nobody asks for them. */
  readonly grants?: readonly Grant[];
};

/** Who made a token: a user, or an ADMIN token, which has the user id -42 and its own id. */
export type Creator = { readonly userId: number; readonly tokenId: string | undefined };

/** In lower case: reasons for which an evaluation of OpenTelemetry without a boolean value counts as no. Undefined for the usual ones. */
export type NotEnabledReasons = readonly string[];

/** What a token is for and allows. A token that replaces another one has the same terms. */
export type TokenTerms = {
  readonly name: string;
  /** '*' means every environment. */
  readonly environment: string;
  /** Empty means every project. */
  readonly projects: readonly string[];
  /** Requests per minute. 0 means no limit; undefined means the default limit. */
  readonly rateLimit?: number | undefined;
  readonly notEnabledReasons?: NotEnabledReasons | undefined;
  /** Whether guards may act on what it sends; not by default. Only client tokens can be trusted. */
  readonly isTrusted?: boolean | undefined;
};

export function termsOf(token: TokenTerms): TokenTerms {
  const { name, environment, projects, rateLimit, notEnabledReasons, isTrusted } = token;
  return { name, environment, projects, rateLimit, notEnabledReasons, isTrusted };
}

/** A verified token: an API token, a personal token, or the session of a person who signed in. We do not store its secret. */
export type ApiToken = TokenTerms & {
  readonly id: string;
  readonly type: TokenType | 'personal' | 'session';
  /** Only personal tokens and sessions have a user. */
  readonly user?: TokenUser;
  /** Undefined for initial tokens, and for personal tokens of unknown origin. */
  readonly createdBy?: Creator | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number | undefined;
  /** The id of the first token of its rotations, which owns counters; undefined if it is the first. */
  readonly origin?: string | undefined;
};

/** A new token before it is stored. */
export type NewToken = TokenTerms & {
  readonly secret: string;
  readonly type: TokenType;
  readonly expiresAt: number | undefined;
};

const SECRET = /^(\*|\[\]|[\w.~-]{1,100}):(\*|[^.:\s\p{C}]{1,100})\.([\x21-\x7e]{1,200})$/u;

/** The parts of a secret `project:environment.random` (`*` for all, `[]` for several projects); undefined if it is not a secret. */
export function parseSecret(secret: string): { project: string; environment: string } | undefined {
  const match = SECRET.exec(secret);
  if (match === null) return undefined;
  const [, project = '', environment = ''] = match;
  return { project, environment };
}

/** A shorter random part can be guessed, and a much shorter one even by hand. */
export const SAFE_SECRET_LENGTH = 32;
export const MIN_SECRET_LENGTH = 8;

/** The number of characters after project and environment, which are not secret. */
export function secretLength(secret: string): number {
  return secret.length - secret.indexOf('.', secret.indexOf(':')) - 1;
}

export function createSecret(projects: readonly string[], environment: string): string {
  const project = projects.length === 0 ? '*' : projects.length === 1 ? (projects[0] ?? '*') : '[]';
  return `${project}:${environment}.${randomBytes(28).toString('hex')}`;
}

export function createSessionSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function createPersonalSecret(): string {
  return `user:${randomBytes(28).toString('hex')}`;
}

/**
 * The hash of a secret; only hashes are stored and compared. A plain SHA-256 is safe: secrets are long and random, so they
 * cannot be guessed, and the time to compare hashes reveals nothing about a secret.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** The secret in an Authorization header, with or without `Bearer `. */
export function secretOf(authorization: string): string {
  return authorization.replace(/^bearer\s+/i, '').trim();
}

export function mayIngest(token: ApiToken): boolean {
  return token.type === 'client' || token.type === 'admin';
}

/** A frontend token is public, because every page that uses it contains it. So it may only send the counts of browsers. */
export function mayIngestFromBrowser(token: ApiToken): boolean {
  return token.type === 'frontend';
}

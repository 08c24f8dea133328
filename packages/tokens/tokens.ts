import { hash, randomBytes } from 'node:crypto';

export type TokenType = 'admin' | 'client' | 'frontend';

/** Whose a personal token is. */
export type TokenUser = {
  readonly id: number;
  readonly name: string;
  readonly role: 'Admin' | 'Editor' | 'Viewer';
};

/** A verified token: an API token or a user's personal one. The secret itself is known only to its holder. */
export type ApiToken = {
  readonly id: string;
  readonly name: string;
  readonly type: TokenType | 'personal';
  /** Of personal tokens only. */
  readonly user?: TokenUser;
  /** '*' is every environment. */
  readonly environment: string;
  /** Empty is every project. */
  readonly projects: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number | undefined;
  /** Requests per minute, 0 for any number; undefined is what all may send. */
  readonly rateLimit?: number | undefined;
};

/** A token that is about to be stored. */
export type NewToken = {
  readonly secret: string;
  readonly name: string;
  readonly type: TokenType;
  readonly environment: string;
  readonly projects: readonly string[];
  readonly expiresAt: number | undefined;
  readonly rateLimit?: number | undefined;
};

const SECRET = /^(\*|\[\]|[\w.~-]{1,100}):(\*|[^.:\s\p{C}]{1,100})\.([\x21-\x7e]{1,200})$/u;

/**
 * Parts of a secret `project:environment.random` (`*` for all, `[]` for several projects), undefined if it is none.
 */
export function parseSecret(secret: string): { project: string; environment: string } | undefined {
  const match = SECRET.exec(secret);
  if (match === null) return undefined;
  const [, project = '', environment = ''] = match;
  return { project, environment };
}

/** A random part that is shorter can be guessed, and one that is shorter still by hand. */
export const SAFE_SECRET_LENGTH = 32;
export const MIN_SECRET_LENGTH = 8;

/** Characters of a secret behind project and environment, which are no secret. */
export function secretLength(secret: string): number {
  return secret.length - secret.indexOf('.', secret.indexOf(':')) - 1;
}

export function createSecret(projects: readonly string[], environment: string): string {
  const project = projects.length === 0 ? '*' : projects.length === 1 ? (projects[0] ?? '*') : '[]';
  return `${project}:${environment}.${randomBytes(28).toString('hex')}`;
}

export function createPersonalSecret(): string {
  return `user:${randomBytes(28).toString('hex')}`;
}

/**
 * What is stored of a secret, and all that is ever compared. A plain SHA-256 serves: secrets are long and random, so there
 * is nothing to guess, and how long a comparison of hashes takes says nothing of the secret.
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

/** A frontend token is in every page that uses it: it may send counts of browsers and nothing else. */
export function mayIngestFromBrowser(token: ApiToken): boolean {
  return token.type === 'frontend';
}

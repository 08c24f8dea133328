import type { StoredToken } from '#base/auth';
import { type NewToken, createSecret } from '#base/tokens';
import { notValid } from '../../denial.ts';
import type { ApiTokenRecord, NewApiToken } from './schema.ts';

export const EXAMPLE = {
  id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
  tokenName: 'edge',
  type: 'client',
  environment: 'production',
  projects: ['*'],
  createdAt: '2026-11-21T10:15:00.000Z',
  expiresAt: null,
  rateLimit: null,
  notEnabledReasons: null,
  trusted: false,
  seenAt: null,
  seenIpv4At: null,
  seenIpv6At: null,
  createdByUserId: 7,
  createdByTokenId: null,
  successorOf: null,
};

/** What is stored of the body of a request. */
export function toToken({
  tokenName,
  expiresAt,
  rateLimit,
  notEnabledReasons,
  trusted,
  ...body
}: NewApiToken): NewToken {
  const { type, projects, environment } = scopeOf(body);
  if (trusted === true && type !== 'client')
    throw notValid('Only a client token can be trusted: everybody who opens a page has its frontend token.');
  const expiry = typeof expiresAt === 'string' ? Date.parse(expiresAt) : undefined;
  return {
    secret: createSecret(projects, environment),
    name: tokenName,
    type,
    environment,
    projects,
    expiresAt: expiry,
    rateLimit: rateLimit ?? undefined,
    notEnabledReasons: notEnabledReasons?.map((reason) => reason.toLowerCase()),
    isTrusted: trusted,
  };
}

export function toRecord(token: StoredToken): ApiTokenRecord {
  return {
    id: token.id,
    tokenName: token.name,
    type: token.type,
    environment: token.environment,
    projects: token.projects.length === 0 ? ['*'] : [...token.projects],
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt === undefined ? null : new Date(token.expiresAt).toISOString(),
    rateLimit: token.rateLimit ?? null,
    notEnabledReasons: token.notEnabledReasons === undefined ? null : [...token.notEnabledReasons],
    trusted: token.isTrusted ?? false,
    seenAt: token.seenAt?.toISOString() ?? null,
    seenIpv4At: token.seenIpv4At?.toISOString() ?? null,
    seenIpv6At: token.seenIpv6At?.toISOString() ?? null,
    createdByUserId: token.createdBy?.userId ?? null,
    createdByTokenId: token.createdBy?.tokenId ?? null,
    successorOf: token.successorOf ?? null,
  };
}

/** An ADMIN token is for everything, unless it names projects or an environment. A SCAN token always is. */
export function scopeOf({
  type,
  projects = [],
  environment,
}: Pick<NewApiToken, 'type' | 'projects' | 'environment'>): Pick<
  NewToken,
  'type' | 'projects' | 'environment'
> {
  const kind = kindOf(type);
  if (kind === 'scan') return { type: kind, projects: [], environment: '*' };
  return {
    type: kind,
    projects: projects.includes('*') ? [] : [...new Set(projects)],
    environment: environment ?? (kind === 'admin' ? '*' : 'development'),
  };
}

function kindOf(type: string): NewToken['type'] {
  const kind = type.toLowerCase();
  return kind === 'admin' || kind === 'frontend' || kind === 'scan' ? kind : 'client';
}

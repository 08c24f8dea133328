import { hashSecret, isAddress, isUserName, keyOfUserName } from '#base/tokens';
import { formOf, isName, looksLikeAddress } from './claim-forms.ts';
import type { Person } from './rules.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A claim that was not used, and why, without its value. */
export type UnreadClaim = { readonly claim: string; readonly form: string };

export type ClaimSettings = {
  readonly groupsClaim: string;
  /** Whether an address counts as verified if the provider does not say whether it is. */
  readonly areAddressesVerified: boolean;
  /** Whether a person without the groups claim is in no group. Otherwise their groups are unknown. */
  readonly isWithoutGroups: boolean;
};

export type Reading = { readonly person: Person; readonly unread: readonly UnreadClaim[] };

type Identity = Pick<Person, 'issuer' | 'subject'>;

/**
 * Reads a person from the documents of a provider: the ID token, and what its UserInfo endpoint says. The first document that has a
 * claim counts. https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims
 */
export function personOf(
  { issuer, subject }: Identity,
  documents: readonly Claims[],
  settings: ClaimSettings,
): Reading {
  const unread: UnreadClaim[] = [];
  const reader = { documents, settings, unread };
  const address = readAddress(reader);
  const nameIn = (claim: string): string | undefined => {
    const text = readName(reader, claim);
    if (text === undefined || text === address.verified || !looksLikeAddress(text)) return text;
    leaveOut(reader, claim, 'an address that is not verified');
    return undefined;
  };
  const username = nameIn('preferred_username');
  const name = nameIn('name');
  const isReadable = username !== undefined && (username === address.verified || isUserName(username));
  if (username !== undefined && !isReadable)
    leaveOut(reader, 'preferred_username', 'a text with letters that user names do not have');
  const groups = readGroups(reader, { address, names: { preferred_username: username, name } });
  const person = {
    issuer,
    subject,
    name,
    groups,
    email: address.verified,
    username: isReadable ? username : nameOfSubject({ issuer, subject }),
  };
  return { person, unread };
}

type Reader = {
  readonly documents: readonly Claims[];
  readonly settings: ClaimSettings;
  readonly unread: UnreadClaim[];
};

function leaveOut({ unread }: Pick<Reader, 'unread'>, claim: string, form: string): void {
  unread.push({ claim, form });
}

function valueOf({ documents }: Pick<Reader, 'documents'>, claim: string): unknown {
  return documents.find((document) => Object.hasOwn(document, claim))?.[claim];
}

function readName(reader: Reader, claim: string): string | undefined {
  const value = valueOf(reader, claim);
  if (value === undefined || isName(value)) return value;
  leaveOut(reader, claim, formOf(value));
  return undefined;
}

/** Whether the provider says that the address is not verified is known, because then it is no group either. */
type Address = { readonly verified: string | undefined; readonly isDenied: boolean };

function readAddress(reader: Reader): Address {
  const email = readName(reader, 'email');
  if (email === undefined) return { verified: undefined, isDenied: false };
  const isReadable = isAddress(email);
  if (!isReadable) leaveOut(reader, 'email', 'a text that is no address');
  const verification = verificationOf(reader, email);
  return {
    verified: isReadable && verification === 'verified' ? email : undefined,
    isDenied: verification === 'denied',
  };
}

/**
 * Providers send `email_verified` also as a text. Only a document with this address can say that it is verified; a document without
 * any address can deny it.
 */
function verificationOf(reader: Reader, email: string): 'verified' | 'denied' | 'unknown' {
  const about = reader.documents.filter(
    (document) =>
      Object.hasOwn(document, 'email_verified') &&
      (!Object.hasOwn(document, 'email') || document['email'] === email),
  );
  const values = about.map((document) => document['email_verified']);
  const unknown = values.filter((value) => !isTrue(value) && !isFalse(value));
  for (const value of unknown) leaveOut(reader, 'email_verified', formOf(value));
  if (unknown.length > 0) return 'unknown';
  if (!values.every(isTrue)) return 'denied';
  if (about.some((document) => Object.hasOwn(document, 'email'))) return 'verified';
  if (reader.settings.areAddressesVerified) return 'verified';
  leaveOut(reader, 'email_verified', 'missing');
  return 'unknown';
}

const isTrue = (value: unknown): boolean => value === true || value === 'true';
const isFalse = (value: unknown): boolean => value === false || value === 'false';

type Names = { readonly address: Address; readonly names: Readonly<Record<string, string | undefined>> };

/** Claims that name a person are groups only as far as they are believed. */
function readGroups(reader: Reader, { address, names }: Names): readonly string[] | undefined {
  const { groupsClaim: claim } = reader.settings;
  const value = valueOf(reader, claim);
  if (value === undefined) return withoutGroups(reader);
  if (claim === 'email') return address.isDenied ? [] : listOf(address.verified);
  if (Object.hasOwn(names, claim)) return listOf(names[claim]);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const groups = items.filter((item) => typeof item === 'string' && item !== '').map(String);
  if (groups.length === items.length) return groups;
  const other = items.find((item) => typeof item !== 'string' || item === '');
  leaveOut(reader, claim, Array.isArray(value) ? `a list with ${formOf(other)}` : formOf(other));
  return undefined;
}

function listOf(item: string | undefined): readonly string[] | undefined {
  return item === undefined ? undefined : [item];
}

/** Entra sends a link instead of more than 200 groups. */
function withoutGroups(reader: Reader): readonly string[] | undefined {
  const { groupsClaim: claim, isWithoutGroups } = reader.settings;
  const isLinked = reader.documents.some((document) => isElsewhere(document, claim));
  if (isWithoutGroups && !isLinked) return [];
  leaveOut(reader, claim, isLinked ? 'a link instead of the groups' : 'missing');
  return undefined;
}

/** https://openid.net/specs/openid-connect-core-1_0.html#AggregatedDistributedClaims */
function isElsewhere({ _claim_names: names, hasgroups }: Claims, claim: string): boolean {
  const isLinked = typeof names === 'object' && names !== null && Object.hasOwn(names, claim);
  return isLinked || (claim === 'groups' && isTrue(hasgroups));
}

/** A subject may look like the address or the name of somebody else. Only subjects are compared with their case. */
function nameOfSubject({ issuer, subject }: Identity): string {
  if (isUserName(subject) && keyOfUserName(subject) === subject) return subject;
  return `user ${hashSecret(`${issuer} ${subject}`).slice(0, 16)}`;
}

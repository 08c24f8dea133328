import type { Claims } from './identity-provider.ts';
import { personOf } from '../../../../services/admin/people/sign-in/claims.ts';

/** A part of each value that a log must not have. */
export const MARK = 'zq7mark';

/** Of `text`, every claim that names somebody takes it; of `texts`, those of groups; of `truth`, `email_verified`. */
export type Shape = { readonly value: unknown; readonly isOf?: readonly ('text' | 'texts' | 'truth')[] };

const TEXT = ['text', 'texts'] as const;

/** Every form that a value of JSON can have, and what providers send instead of what they should. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'a text': { value: MARK, isOf: TEXT },
  'a text of 255 characters': { value: MARK.padEnd(255, 'é'), isOf: TEXT },
  'a text of 256 characters': { value: MARK.padEnd(256, 'x'), isOf: ['texts'] },
  'a megabyte of text': { value: MARK.padEnd(1_000_000, 'x'), isOf: ['texts'] },
  'an empty text': { value: '' },
  'a text with NUL': { value: `${MARK}\0`, isOf: ['texts'] },
  'a text with half a character': { value: `${MARK}\uD800`, isOf: ['texts'] },
  'a text with the other half': { value: `\uDC00${MARK}`, isOf: ['texts'] },
  'a text that turns round': { value: `${MARK}\u202E`, isOf: ['texts'] },
  'a line end': { value: `${MARK}\n`, isOf: ['texts'] },
  'the text false': { value: 'false', isOf: [...TEXT, 'truth'] },
  'the text true': { value: 'true', isOf: [...TEXT, 'truth'] },
  'the text False': { value: 'False', isOf: TEXT },
  'the text 1': { value: '1', isOf: TEXT },
  zero: { value: 0 },
  one: { value: 1 },
  'a long number': { value: 1e300 },
  false: { value: false, isOf: ['truth'] },
  true: { value: true, isOf: ['truth'] },
  null: { value: null },
  'an empty list': { value: [], isOf: ['texts'] },
  'a list of texts': { value: [MARK, 'others'], isOf: ['texts'] },
  'a list of one truth': { value: [true] },
  'a list of a text and a number': { value: ['admins', 3] },
  'a list of an empty text': { value: ['admins', ''] },
  'a list of lists': { value: [['admins']] },
  'a list of objects': { value: [{ name: 'admins', [MARK]: MARK }] },
  'an empty object': { value: {} },
  'a map of groups': { value: { admins: true, [MARK]: true } },
  'an object like a list': { value: { 0: 'admins', length: 1 } },
  'an object with a prototype': { value: { __proto__: null, toString: 'admins' } },
};

/** The claims that flagmeter reads of a document, as it reads them. */
export function claimsRead(groupsClaim: string): readonly string[] {
  const read = new Set<string>();
  const spy = new Proxy<Record<string, unknown>>(
    { email: 'a@b' },
    {
      get: (target, claim) => (read.add(String(claim)), Reflect.get(target, claim) as unknown),
      getOwnPropertyDescriptor: (target, claim) => (
        read.add(String(claim)),
        Reflect.getOwnPropertyDescriptor(target, claim)
      ),
    },
  );
  const settings = { groupsClaim, areAddressesVerified: false, isWithoutGroups: false };
  personOf({ issuer: 'https://login.example', subject: '7' }, [spy], settings);
  return [...read];
}

/** Claims that say where others are. Whatever they are, a person keeps their roles. */
export const OF_OTHERS = ['_claim_names', 'hasgroups'];

export function isOf(claim: string, groupsClaim: string, { isOf: kinds = [] }: Shape): boolean {
  if (OF_OTHERS.includes(claim)) return true;
  if (claim === groupsClaim) return kinds.includes('texts');
  return kinds.includes(claim === 'email_verified' ? 'truth' : 'text');
}

/** Claims of a person with an address, in the group of editors. */
export function claimsOfEditor(account: string): Claims {
  return {
    email: `${account}@example.org`,
    email_verified: true,
    preferred_username: account,
    name: `Name of ${account}`,
    groups: ['editors'],
  };
}

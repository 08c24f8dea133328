import { expect } from 'chai';
import { type ClaimSettings, personOf } from '../../../../../../services/admin/people/sign-in/claims.ts';
import type { Claims } from '../../../../../support/servers/identity/identity-provider.ts';
import {
  MARK,
  SHAPES,
  claimsOfEditor,
  claimsRead,
  isOf,
} from '../../../../../support/servers/identity/claim-shapes.ts';

const ID = { issuer: 'https://login.example', subject: '7' };
const SETTINGS = { groupsClaim: 'groups', areAddressesVerified: false, isWithoutGroups: false };

const read = (claims: Claims | readonly Claims[], settings: Partial<ClaimSettings> = {}) =>
  personOf(ID, [claims].flat(), { ...SETTINGS, ...settings });

describe('personOf', () => {
  it('reads names, address and groups', () => {
    expect(claimsRead('groups')).to.include.members(Object.keys(claimsOfEditor('ana')));
    expect(read(claimsOfEditor('ana'))).to.deep.equal({
      person: {
        ...ID,
        email: 'ana@example.org',
        username: 'ana',
        name: 'Name of ana',
        groups: ['editors'],
      },
      unread: [],
    });
  });

  for (const claim of claimsRead('groups')) {
    for (const [title, shape] of Object.entries(SHAPES)) {
      it(`keeps bounds and names no value: ${claim} is ${title}`, () => {
        const lie = { ...claimsOfEditor('ana'), [claim]: shape.value };
        for (const documents of [[lie], [{}, lie], [lie, claimsOfEditor('ana')]]) {
          const { person, unread } = read(documents);
          const { email = 'a', username, name = 'a' } = person;
          for (const stored of [email, username, name]) expect(stored).to.match(/^[^\p{C}]{1,255}$/u);
          expect((person.groups ?? []).every((group) => typeof group === 'string')).to.equal(true);
          expect(JSON.stringify(unread)).not.to.include(MARK);
          const isNamed = unread.some((one) => one.claim === claim);
          expect(isNamed).to.equal(claim === 'email' || !isOf(claim, 'groups', shape)); // none is an address
        }
      });
    }
  }

  describe('an address', () => {
    const of = (verified: object, settings?: Partial<ClaimSettings>) =>
      read({ ...claimsOfEditor('ana'), email_verified: undefined, ...verified }, settings);
    const without = { email: 'ana@example.org', groups: [] };

    it('is verified if the provider says true or "true"', () => {
      for (const value of [true, 'true'])
        expect(of({ email_verified: value }).person.email).to.equal('ana@example.org');
    });

    for (const value of [false, 'false', 'False', 'TRUE', 'yes', '', 0, 1, null, [true], { true: true }]) {
      it(`is not verified if the provider says ${JSON.stringify(value)}, whatever the settings`, () => {
        const { person } = of(
          { email_verified: value },
          { areAddressesVerified: true, groupsClaim: 'email', isWithoutGroups: true },
        );
        expect(person.email).to.equal(undefined);
        expect(person.groups ?? []).to.deep.equal([]);
      });
    }

    it('is verified without a word of the provider only by the setting', () => {
      expect(read(without).person.email).to.equal(undefined);
      expect(read(without).unread).to.deep.equal([{ claim: 'email_verified', form: 'missing' }]);
      expect(read(without, { areAddressesVerified: true }).person.email).to.equal('ana@example.org');
    });

    it('is verified by a document that has it, and denied by any that has no other', () => {
      const verified = { email: 'ana@example.org', email_verified: true };
      expect(read([without, verified]).person.email).to.equal('ana@example.org');
      expect(read([verified, { email_verified: 'false' }]).person.email).to.equal(undefined);
      expect(read([verified, { ...verified, email_verified: false }]).person.email).to.equal(undefined);
      const other = { email: 'other@example.org', email_verified: true };
      expect(read([without, other]).person.email).to.equal(undefined);
      expect(read([without, { email_verified: true }]).person.email).to.equal(undefined);
      const denied = { email: 'other@example.org', email_verified: false };
      expect(read([verified, denied]).person.email).to.equal('ana@example.org');
    });

    it('is a group only if it is verified, no group if that is denied, and unknown otherwise', () => {
      const groups = (verified: object) => of(verified, { groupsClaim: 'email' }).person.groups;
      expect(groups({ email_verified: 'true' })).to.deep.equal(['ana@example.org']);
      expect(groups({ email_verified: 'false' })).to.deep.equal([]);
      expect(groups({ email_verified: 0 })).to.equal(undefined);
      expect(groups({ email: 'no address', email_verified: true })).to.equal(undefined);
    });
  });

  describe('a name', () => {
    for (const name of [
      'boss@example.org',
      'Boss <boss@example.org>',
      'boss＠example.org',
      'boss @example.org',
    ])
      it(`is not the unverified address ${name}`, () => {
        const { person, unread } = read({ ...claimsOfEditor('ana'), preferred_username: name, name });
        expect(person).to.include({ username: '7', name: undefined });
        expect(unread).to.have.lengthOf(2);
        const groups = read({ preferred_username: name }, { groupsClaim: 'preferred_username' });
        expect(groups.person.groups).to.equal(undefined);
        const subject = personOf({ ...ID, subject: name }, [{ groups: [] }], SETTINGS);
        expect(subject.person.username).to.match(/^user [0-9a-f]{16}$/);
      });

    it('may be the verified address', () => {
      const email = 'ana@example.org';
      const { person } = read({ ...claimsOfEditor('ana'), preferred_username: email, name: email });
      expect(person).to.include({ username: email, name: email });
    });
  });

  describe('groups', () => {
    const { groups: _groups, ...claims } = claimsOfEditor('ana');
    const groupsOf = (more: object, settings?: Partial<ClaimSettings>) =>
      read({ ...claims, ...more }, settings).person.groups;

    it('are one or several', () => {
      expect(groupsOf({ groups: ['a', 'b'] })).to.deep.equal(['a', 'b']);
      expect(groupsOf({ groups: [] })).to.deep.equal([]);
      expect(groupsOf({ hd: 'example.org' }, { groupsClaim: 'hd' })).to.deep.equal(['example.org']);
      expect(groupsOf({}, { groupsClaim: 'name' })).to.deep.equal(['Name of ana']);
    });

    it('are unknown without their claim, and none if a setting says so', () => {
      expect(groupsOf({})).to.equal(undefined);
      expect(groupsOf({}, { isWithoutGroups: true })).to.deep.equal([]);
      expect(groupsOf({ groups: null }, { isWithoutGroups: true })).to.equal(undefined);
    });

    it('are unknown if the provider sends a link instead, whatever the setting', () => {
      for (const link of [{ _claim_names: { groups: 'src1' } }, { hasgroups: true }, { hasgroups: 'true' }])
        expect(groupsOf(link, { isWithoutGroups: true })).to.equal(undefined);
      const ofOthers = { _claim_names: { address: 'src1' } };
      expect(groupsOf(ofOthers, { isWithoutGroups: true })).to.deep.equal([]);
    });

    it('are never what every object has', () => {
      for (const groupsClaim of ['constructor', 'toString', '__proto__'])
        expect(groupsOf({}, { groupsClaim })).to.equal(undefined);
    });
  });
});

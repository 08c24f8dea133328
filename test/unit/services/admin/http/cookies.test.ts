import { expect } from 'chai';
import { cookiesOf, readCookie } from '../../../../../services/admin/http/requests/cookies.ts';

describe('cookiesOf', () => {
  it('marks cookies over https as secure, and as those of this host alone', () => {
    const { session, attributes } = cookiesOf('https://flags.example');
    expect(session).to.equal('__Host-flagmeter-session');
    expect(attributes).to.equal('; Path=/; SameSite=Lax; Secure');
    expect(cookiesOf('http://localhost').session).to.equal('flagmeter-session');
  });
});

describe('readCookie', () => {
  it('finds a cookie among others', () => {
    expect(readCookie({ cookie: 'xa=1; a=2=3;b=4' }, 'a')).to.equal('2=3');
    expect(readCookie({ cookie: 'xa=1' }, 'a')).to.equal(undefined);
    expect(readCookie({}, 'a')).to.equal(undefined);
  });

  it('accepts neither an empty cookie nor two of one name', () => {
    expect(readCookie({ cookie: 'a=' }, 'a')).to.equal(undefined);
    expect(readCookie({ cookie: 'a=1; a=2' }, 'a')).to.equal(undefined);
  });
});

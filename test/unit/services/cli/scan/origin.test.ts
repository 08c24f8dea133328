import { expect } from 'chai';
import { originOf } from '../../../../../services/cli/commands/scan/git/origin.ts';

const ADDRESSES: readonly (readonly [string, string])[] = [
  ['https://github.com/acme/shop.git', 'github.com/acme/shop'],
  ['https://github.com/acme/shop', 'github.com/acme/shop'],
  ['git@github.com:acme/shop.git', 'github.com/acme/shop'],
  ['ssh://git@GitHub.com:22/acme/shop.git', 'github.com/acme/shop'],
  ['https://ci:s3cret@gitlab.example.org:8443/group/sub/shop.git', 'gitlab.example.org/group/sub/shop'],
];

describe('originOf', () => {
  for (const [address, name] of ADDRESSES) {
    it(`names ${address} without users, secrets and ports`, () => {
      expect(originOf(address)?.name).to.equal(name);
    });
  }

  for (const address of ['/srv/git/shop.git', '../shop', 'file:///srv/git/shop.git', 'shop', '']) {
    it(`does not name ${address || 'nothing'}`, () => {
      expect(originOf(address)).to.equal(undefined);
    });
  }

  it('links to lines as the host does', () => {
    const linkOf = (host: string) => originOf(`https://${host}/acme/shop`)?.link;
    expect(linkOf('github.com')).to.equal('https://github.com/acme/shop/blob/{commit}/{path}#L{line}');
    expect(linkOf('gitlab.com')).to.equal('https://gitlab.com/acme/shop/-/blob/{commit}/{path}#L{line}');
    expect(linkOf('bitbucket.org')).to.equal(
      'https://bitbucket.org/acme/shop/src/{commit}/{path}#lines-{line}',
    );
  });
});

import { expect } from 'chai';
import type { ServiceProcess } from '../support/processes/process.ts';
import { type World, createWorld } from '../support/world.ts';

describe('the files of the console', () => {
  let world: World;
  let admin: ServiceProcess;

  before(async () => {
    world = await createWorld();
    admin = await world.fork('admin');
  });
  after(() => world.dispose());

  it('come under a policy that allows only our own origin', async () => {
    const { headers, status } = await fetch(admin.url);
    expect(status).to.equal(200);
    expect(headers.get('content-security-policy')).to.include(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;",
    );
    expect(headers.get('cache-control')).to.equal('no-cache');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
  });

  for (const encoding of ['br', 'gzip', 'identity'])
    it(`are kept by browsers for good: ${encoding}`, async () => {
      const page = await (await fetch(admin.url)).text();
      const paths = [...page.matchAll(/(?:src|href)="(console\/.+?)"/g)].map(([, path]) => path ?? '');
      expect(paths.map((path) => path.replace(/-\w{8}\./, '.'))).to.deep.equal([
        'console/main.css',
        'console/main.js',
      ]);
      for (const path of paths) {
        const answer = await fetch(`${admin.url}/${path}`, { headers: { 'accept-encoding': encoding } });
        expect(answer.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
        expect(answer.headers.get('vary')).to.include('Accept-Encoding');
        expect(answer.headers.get('content-encoding')).to.equal(encoding === 'identity' ? null : encoding);
        expect((await answer.text()).length).to.be.greaterThan(1000);
      }
    });
});

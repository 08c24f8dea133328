import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import type { ServiceProcess } from '../support/stack/processes/process.ts';
import { sharedUncountedWorld } from '../support/uncounted-world.ts';
import {} from '../support/world.ts';

describe('the files of the console', () => {
  const world = sharedUncountedWorld();
  let admin: ServiceProcess;

  before(async () => {
    admin = await world.fork('admin', { ADMIN_ACCESS_LOG: 'true' });
  });

  // First, because it counts the requests so far.
  it('are counted and logged by their route, without names that strangers choose', async () => {
    const page = await (await fetch(admin.url)).text();
    const [, file] = /src="(console\/.+?)"/.exec(page) ?? [];
    await (await fetch(`${admin.url}/${file}`)).text();
    for (const name of ['secret-one.js', 'secret-two.js'])
      expect((await fetch(`${admin.url}/console/${name}`)).status).to.equal(404);
    const log = await eventually(
      () => admin.readLog(),
      (text) => text.split('admin request').length > 4,
    );
    expect(log).to.include('"route":"/console/{file}"').and.not.to.include('secret-');
    const metrics = await (await fetch(`${admin.url}/internal-backstage/prometheus`)).text();
    const counted = metrics.split('\n').filter((line) => line.startsWith('flagmeter_admin_requests_total{'));
    expect(counted).to.include.members([
      'flagmeter_admin_requests_total{route="/",method="GET",status="2xx"} 1',
      'flagmeter_admin_requests_total{route="/console/{file}",method="GET",status="2xx"} 1',
      'flagmeter_admin_requests_total{route="/console/{file}",method="GET",status="4xx"} 2',
    ]);
    expect(metrics).not.to.include('secret-');
  });

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
        'console/chunk.js',
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

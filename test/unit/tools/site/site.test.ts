import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';

import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import MiniSearch from 'minisearch';
import { createHelpRouter } from '../../../../services/admin/http/help.ts';
import { buildSite } from '../../../../tools/site/site.ts';

describe('the site of the documents', () => {
  let folder: string;
  let pages: Map<string, string>;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'flagmeter-site-'));
    await buildSite(folder, { form: 'site' });
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.html'));
    pages = new Map(
      await Promise.all(
        names.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')] as const),
      ),
    );
  });

  after(async () => {
    await rm(folder, { recursive: true });
  });

  it('has no link, picture or anchor that leads nowhere', async () => {
    const files = new Set(await readdir(folder, { recursive: true }));
    const broken: string[] = [];
    let checked = 0;
    for (const [name, html] of pages)
      for (const [, address = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
        if (/^[a-z]+:/.test(address) || address.startsWith('../../actions')) continue;
        const [target = '', anchor] = address.split('#');
        const file = target === '' ? name : path.join(path.dirname(name), target);
        checked += 1;
        const hasAnchor = anchor === undefined || pages.get(file)?.includes(`id="${anchor}"`) === true;
        if (!files.has(file) || !hasAnchor) broken.push(`${name}: ${address}`);
      }
    expect(broken).to.deep.equal([]);
    expect(checked).to.be.greaterThan(1000);
  });

  it('loads nothing from elsewhere, and names no file of the repository that it has as a page', () => {
    for (const [name, html] of pages) {
      expect(html, name).not.to.match(/src="https?:|<link[^>]*href="https?:/);
      expect(html, name).not.to.match(/href="[^":]*\.md[#"]/);
    }
  });

  it('finds a section by its words', async () => {
    const text = await readFile(path.join(folder, 'search.json'), 'utf8');
    const index = MiniSearch.loadJSON(text, { fields: ['title', 'page', 'text'], storeFields: ['title'] });
    const found = index.search('SIGUSR2', { prefix: true }).map(({ id }) => String(id));
    expect(found).to.include('docs/operate/start.html#several-processes-on-one-machine');
  });

  it('lists every page for programs that read', async () => {
    const list = await readFile(path.join(folder, 'llms.txt'), 'utf8');
    const listed = [...list.matchAll(/^- \[.+?\]\((.+?)\): \S/gm)].map(([, address]) => address);
    expect(listed).to.have.members([...pages.keys()]);
  });

  it('is served below /help/, small if the browser takes that, and nothing else is', async () => {
    const app = new Koa();
    const packed = path.join(folder, 'packed');
    await buildSite(packed, { form: 'package' });
    const page = gunzipSync(await readFile(path.join(packed, 'docs/use/console.html.gz'))).toString();
    const router = createHelpRouter(packed);
    if (router === undefined) throw new Error('no site');
    const server = app.use(router.routes()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const answer = await fetch(`${url}/help/docs/use/console.html`);
      expect([answer.status, answer.headers.get('content-encoding')]).to.deep.equal([200, 'gzip']);
      expect(await answer.text()).to.equal(page);
      const plain = await fetch(`${url}/help`, { headers: { 'accept-encoding': 'identity' } });
      const index = gunzipSync(await readFile(path.join(packed, 'index.html.gz'))).toString();
      expect([plain.url, await plain.text()]).to.deep.equal([`${url}/help/`, index]);
      for (const other of [
        'package.json',
        '..%2f..%2fpackage.json',
        'docs',
        'site.css.gz',
        'docs/images/feature.png',
      ])
        expect((await fetch(`${url}/help/${other}`)).status, other).to.equal(404);
    } finally {
      server.close();
    }
  });
});

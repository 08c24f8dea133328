import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { expectHashes } from '../../../../packages/tooling/stack/install/hashes.ts';
import { downloadListed } from '../../../../packages/tooling/stack/install/maven.ts';

const FILES: Readonly<Record<string, string>> = {
  'org/one/1.0/one-1.0.jar': 'one',
  'org/two/2.0/two-2.0.jar': 'two',
};

describe('jars without Maven', () => {
  let directory: string;
  let list: string;
  let jars: string;
  let mirror: Server;
  let url: string;
  let served: Record<string, string>;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-jars-'));
    list = path.join(directory, 'jars.sha256');
    jars = path.join(directory, 'jars');
    const lines = Object.entries(FILES).map(
      ([place, content]) => `${createHash('sha256').update(content).digest('hex')}  ${place}\n`,
    );
    await writeFile(list, lines.join(''));
    served = { ...FILES };
    mirror = createServer(({ url: target = '' }, response) => {
      const content = served[target.replace('/maven2/', '')];
      response.writeHead(content === undefined ? 404 : 200).end(content);
    });
    mirror.listen(0, '127.0.0.1');
    await once(mirror, 'listening');
    const { port } = mirror.address() as AddressInfo; // it listens on a port
    url = `http://127.0.0.1:${port}/maven2/`;
  });
  afterEach(async () => {
    mirror.closeAllConnections();
    mirror.close();
    await rm(directory, { recursive: true });
  });

  it('are exactly those of the list', async () => {
    await downloadListed(list, jars, url);
    await expectHashes(jars, list);
    expect(await readFile(path.join(jars, 'one-1.0.jar'), 'utf8')).to.equal('one');
  });

  it('are not used with other bytes', async () => {
    served['org/two/2.0/two-2.0.jar'] = 'too';
    await downloadListed(list, jars, url);
    expect(await messageOf(expectHashes(jars, list))).to.match(/: two-2\.0\.jar\.$/);
  });

  it('are named with their address if they are missing', async () => {
    served = {};
    expect(await messageOf(downloadListed(list, jars, url))).to.match(/maven2\/org\/(one|two)\/.*404.*MAVEN/);
  });

  async function messageOf(failing: Promise<unknown>): Promise<string> {
    try {
      await failing;
      return '';
    } catch (error) {
      return String(error);
    }
  }
});

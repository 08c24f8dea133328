import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type RequestListener, type Server, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { readConfig } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { ask } from '../../../support/requests/ask.ts';
import { createUncountedWorld } from '../../../support/uncounted-world.ts';
import type { World } from '../../../support/world.ts';
import { type Certificates, createCertificates } from '../../../support/servers/certificates.ts';

const answer: RequestListener = (request, response) => {
  response.end(`host ${request.headers.host ?? ''}`);
};

describe('the address of Unleash', () => {
  let certificates: Certificates;
  let world: World;
  const servers: Server[] = [];
  before(async () => {
    [certificates, world] = await Promise.all([createCertificates(), createUncountedWorld()]);
  });
  after(async () => {
    for (const server of servers) server.close();
    await world.dispose();
    await certificates.dispose();
  });

  async function listen(server: Server, host: string): Promise<number> {
    servers.push(server);
    server.listen({ host, port: 0 });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // an address is a string for pipes only
  }

  async function passTo(UNLEASH_URL: string, env: Record<string, string>) {
    const { url } = await world.fork('ingest', { UNLEASH_URL, ...env });
    const { status, body } = await ask(`${url}/api/client/features`);
    return { status, text: body.toString() };
  }

  it('may be https with an authority of NODE_EXTRA_CA_CERTS, and with no other', async () => {
    const [key, cert] = await Promise.all([
      readFile(certificates.server.key),
      readFile(certificates.server.certificate),
    ]);
    const host = `127.0.0.1:${await listen(createTlsServer({ key, cert }, answer), '127.0.0.1')}`;
    const trusting = await passTo(`https://${host}`, { NODE_EXTRA_CA_CERTS: certificates.authority });
    expect(trusting).to.deep.equal({ status: 200, text: `host ${host}` });
    const doubtful = await passTo(`https://${host}`, { NODE_EXTRA_CA_CERTS: certificates.strangerAuthority });
    expect(doubtful.status).to.equal(502);
  });

  it('may be an IPv6 address', async () => {
    const host = `[::1]:${await listen(createServer(answer), '::1')}`;
    const config = readConfig({ ...world.env, UNLEASH_URL: `http://${host}` });
    const { url } = await world.run((_, log) => startIngest(config, log));
    const { status, body } = await ask(`${url}/api/client/features`);
    expect([status, body.toString()]).to.deep.equal([200, `host ${host}`]);
  });
});

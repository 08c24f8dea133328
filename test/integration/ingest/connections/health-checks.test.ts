import { readFile } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { type Service, readConfig } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { type Certificates, createCertificates } from '../../../support/servers/certificates.ts';
import { createUncountedWorld } from '../../../support/uncounted-world.ts';
import type { World } from '../../../support/world.ts';

const METHODS = ['GET', 'HEAD', 'OPTIONS'] as const;
const TARGETS = [
  '/',
  '/?check=1',
  'http://flags.example/',
  '/health',
  '/health/',
  '/healthz',
  '/livez',
  '/internal-backstage/health',
  '/ready',
  '/readyz',
  '/internal-backstage/ready',
];
/** What a load balancer sends after the target: HTTP/0.9 has no version. */
const VERSIONS: Readonly<Record<string, string>> = {
  'HTTP/0.9': '\r\n\r\n',
  'HTTP/1.0': ' HTTP/1.0\r\n\r\n',
  'HTTP/1.0 with keep-alive': ' HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  'HTTP/1.1': ' HTTP/1.1\r\nHost: 10.0.0.1\r\nConnection: close\r\n\r\n',
  'HTTP/1.1 with an empty Host': ' HTTP/1.1\r\nHost:\r\nUser-Agent: ELB-HealthChecker/2.0\r\n\r\n',
};

describe('health checks of load balancers', () => {
  let world: World;
  let certificates: Certificates;
  let authority: string;
  const ports: Record<string, Service> = {};
  before(async () => {
    [world, certificates] = await Promise.all([createUncountedWorld(), createCertificates()]);
    authority = await readFile(certificates.authority, 'utf8');
    const { certificate, key } = certificates.server;
    const tls = { LISTEN_TLS_CERT_FILE: certificate, LISTEN_TLS_KEY_FILE: key };
    ports['plain'] = await world.run(startIngest);
    ports['TLS'] = await startIngest(readConfig({ ...world.env, ...tls }), world.log);
  });
  after(async () => {
    await ports['TLS']?.stop();
    await world.dispose();
    await certificates.dispose();
  });

  for (const port of ['plain', 'TLS'])
    for (const [version, rest] of Object.entries(VERSIONS))
      for (const method of METHODS)
        it(`${method} on a ${port} port in ${version} gets 200, or 204 for OPTIONS, for each target`, async () => {
          const targets = method === 'OPTIONS' ? ['*', ...TARGETS] : TARGETS;
          const statuses = targets.map(async (target) => {
            const head = await headOf(port, `${method} ${target}${rest}`);
            return [target, Number(head.slice(9, 12))];
          });
          const expected = method === 'OPTIONS' ? 204 : 200;
          expect(await Promise.all(statuses)).to.deep.equal(targets.map((target) => [target, expected]));
        });

  it('say which methods the resource has', async () => {
    for (const target of ['*', '/', '/health'])
      expect(await headOf('plain', `OPTIONS ${target}${VERSIONS['HTTP/1.0'] ?? ''}`)).to.match(
        /\r\nAllow: GET, HEAD, OPTIONS\r\n/,
      );
  });

  it('need a Host in HTTP/1.1, as every request', async () => {
    expect(await headOf('plain', 'OPTIONS / HTTP/1.1\r\n\r\n')).to.match(/^HTTP\/1\.1 400 /);
  });

  it('get 400 for an asterisk with another method', async () => {
    expect(await headOf('plain', 'GET * HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1\.1 400 /);
  });

  it('get 405 for a method that changes something', async () => {
    expect(await headOf('plain', 'DELETE / HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1\.1 405 /);
  });

  /** Status and headers of the answer to these bytes. */
  function headOf(port: string, bytes: string): Promise<string> {
    const { hostname: host, port: number } = new URL(ports[port]?.url ?? '');
    const address = { host, port: Number(number) };
    const socket: Socket =
      port === 'TLS' ? connectTls({ ...address, ca: authority }) : connect({ ...address });
    return new Promise((resolve, reject) => {
      let text = '';
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        text += String(chunk);
        const [head = '', ...body] = text.split('\r\n\r\n');
        if (body.length === 0) return;
        socket.destroy();
        resolve(`${head}\r\n`);
      });
      socket.once('close', () => {
        reject(new Error(`no answer: ${text}`));
      });
      socket.write(bytes);
    });
  }
});

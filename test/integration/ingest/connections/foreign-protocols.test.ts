import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { type Service, readConfig } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { type Certificates, createCertificates } from '../../../support/servers/certificates.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { createUncountedWorld } from '../../../support/uncounted-world.ts';
import type { World } from '../../../support/world.ts';

const REQUEST = 'GET /health HTTP/1.1\r\nHost: test\r\n\r\n';
const V2_SIGNATURE = '\r\n\r\n\0\r\nQUIT\n';

/** Protocol, what is sent, and the port. Each packet arrives alone. */
const ROWS: readonly (readonly [
  protocol: string,
  title: string,
  port: 'plain' | 'TLS',
  packets: string[],
])[] = [
  ['proxy_v1', 'version 1 for IPv4', 'plain', [`PROXY TCP4 192.0.2.1 192.0.2.2 5000 80\r\n${REQUEST}`]],
  ['proxy_v1', 'version 1 for IPv6', 'plain', ['PROXY TCP6 2001:db8::1 2001:db8::2 5000 80\r\n', REQUEST]],
  ['proxy_v1', 'version 1 of a health check', 'plain', [`PROXY UNKNOWN\r\n${REQUEST}`]],
  ['proxy_v1', 'version 1 in two packets', 'plain', ['PRO', `XY TCP4 192.0.2.1 192.0.2.2 5000 80\r\n`]],
  ['proxy_v1', 'version 1 on a port with TLS', 'TLS', ['PROXY TCP4 192.0.2.1 192.0.2.2 5000 443\r\n']],
  ['proxy_v2', 'version 2', 'plain', [`${V2_SIGNATURE}\x21\x11\0\x0c${'\x01'.repeat(12)}${REQUEST}`]],
  ['proxy_v2', 'version 2 of a health check', 'plain', [`${V2_SIGNATURE}\x20\0\0\0${REQUEST}`]],
  ['proxy_v2', 'version 2 in two packets', 'plain', [V2_SIGNATURE.slice(0, 4), V2_SIGNATURE.slice(4)]],
  ['proxy_v2', 'version 2 on a port with TLS', 'TLS', [`${V2_SIGNATURE}\x21\x11\0\x0c`]],
  ['tls', 'a hello of TLS', 'plain', ['\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03']],
  ['tls', 'one byte of a hello', 'plain', ['\x16']],
  ['http2', 'HTTP/2 without an upgrade', 'plain', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
  ['http2', 'HTTP/2 in two packets', 'plain', ['PRI * HT', 'TP/2.0\r\n\r\nSM\r\n\r\n']],
  ['http2', 'HTTP/2 on a port with TLS', 'TLS', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
  ['http', 'a request without TLS', 'TLS', [REQUEST]],
  ['http', 'a check without TLS', 'TLS', ['OPTIONS * HTTP/1.0\r\n\r\n']],
];

/** What the log says to do. */
const ADVICE: Readonly<Record<string, RegExp>> = {
  proxy_v1: /load balancer sends the PROXY protocol.*Switch it off/,
  proxy_v2: /load balancer sends the PROXY protocol.*Switch it off/,
  tls: /TLS to a port without TLS.*LISTEN_TLS_CERT_FILE/,
  http: /Use https:/,
  http2: /OTEL_EXPORTER_OTLP_PROTOCOL=http\/protobuf/,
};

describe('another protocol than that of the port', () => {
  let world: World;
  let certificates: Certificates;
  const logged = collectLog();
  const services: Record<string, Service> = {};
  before(async () => {
    [world, certificates] = await Promise.all([createUncountedWorld(), createCertificates()]);
    const { certificate, key } = certificates.server;
    const tls = { LISTEN_TLS_CERT_FILE: certificate, LISTEN_TLS_KEY_FILE: key };
    services['plain'] = await startIngest(readConfig({ ...world.env }), logged.log);
    // The metrics stay without TLS.
    services['TLS'] = await startIngest(readConfig({ ...world.env, ...tls, OPS_PORT: '0' }), logged.log);
  });
  after(async () => {
    await Promise.all(Object.values(services).map((service) => service.stop()));
    await world.dispose();
    await certificates.dispose();
  });

  for (const [protocol, title, port, packets] of ROWS)
    it(`is counted as ${protocol}: ${title}`, async () => {
      const before = await counted(port, protocol);
      await send(port, packets);
      await eventually(
        () => counted(port, protocol),
        (now) => now === before + 1,
      );
    });

  it('is one line for each protocol and port, with the sender and what to do', () => {
    const lines = logged.lines().filter(({ msg }) => msg === 'connection with another protocol');
    const expected = [...new Set(ROWS.map(([protocol, , port]) => `${protocol} ${numberOf(port)}`))];
    expect(lines.map(({ protocol, port }) => `${String(protocol)} ${String(port)}`)).to.have.members(
      expected,
    );
    for (const { protocol, from, connections, advice } of lines) {
      expect([from, connections]).to.deep.equal(['127.0.0.1', 1]);
      expect(advice).to.match(ADVICE[String(protocol)] ?? /^$/);
    }
  });

  it('is HTTP/2 if a client with TLS offers nothing else', async () => {
    const before = await counted('TLS', 'http2');
    const port = numberOf('TLS');
    const client = connectTls({ host: '127.0.0.1', port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
    await new Promise((resolve) => client.once('error', resolve));
    await eventually(
      () => counted('TLS', 'http2'),
      (now) => now === before + 1,
    );
  });

  for (const [title, bytes] of [
    ['words', 'hello\r\n\r\n'],
    ['a method that begins like the PROXY protocol', 'PROPHECY / HTTP/1.1\r\n\r\n'],
    ['empty lines before words', '\r\n\r\nQUIT\r\n'],
    ['a handshake after a request', `${REQUEST}\x16\x03\x01`],
  ] as const)
    it(`is not seen in ${title}`, async () => {
      const before = await all();
      await send('plain', [bytes]);
      expect(await all()).to.equal(before);
    });

  function numberOf(port: string): number {
    return Number(new URL(services[port]?.url ?? '').port);
  }

  /** Writes each packet when the one before was received, and waits until the server has closed the connection. */
  async function send(port: string, packets: readonly string[]): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port: numberOf(port), noDelay: true });
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    socket.resume();
    for (const packet of packets) {
      await new Promise((resolve) => socket.write(Buffer.from(packet, 'latin1'), resolve));
      // When it answers this request, the server has read what was written before.
      await fetch(`${services['plain']?.url ?? ''}/health`);
    }
    await closed;
  }

  async function counted(port: string, protocol: string): Promise<number> {
    const text = await (await fetch(`${opsUrl(port)}/internal-backstage/prometheus`)).text();
    const [, value] =
      new RegExp(`^flagmeter_http_foreign_protocols_total\\{protocol="${protocol}"\\} (\\d+)$`, 'm').exec(
        text,
      ) ?? [];
    return Number(value);
  }

  async function all(): Promise<number> {
    const counts = await Promise.all(Object.keys(ADVICE).map((protocol) => counted('plain', protocol)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  function opsUrl(port: string): string {
    if (port === 'plain') return services['plain']?.url ?? '';
    const line = logged.lines().find(({ msg, opsUrl }) => msg === 'listening' && opsUrl !== undefined);
    return String(line?.['opsUrl']);
  }
});

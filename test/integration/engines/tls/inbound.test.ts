import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { type TLSSocket, connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { type Service, readConfig } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { aFreshMetric, bodyOf } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { CLIENT_TOKEN } from '../../../support/world.ts';
import { type Certificates, bundle, createCertificates } from '../../../support/servers/certificates.ts';

describe('listening with TLS', () => {
  let certificates: Certificates;
  let renewed: Certificates;
  before(async () => {
    [certificates, renewed] = await Promise.all([createCertificates(), createCertificates()]);
  });
  after(async () => {
    await certificates.dispose();
    await renewed.dispose();
  });

  describe('ingest', () => {
    const world = sharedUncountedWorld();
    let ingest: Service;
    let file: string;
    let authorities: string[];
    const logged = collectLog();
    const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 });

    before(async () => {
      // Certificate and key in one file, so that a test replaces both at once.
      file = await certificates.write('listen.pem', await bundle(certificates.server));
      authorities = await Promise.all(
        [certificates, renewed].map(({ authority }) => readFile(authority, 'utf8')),
      );
      const env = { ...world.env, LISTEN_TLS_CERT_FILE: file, LISTEN_TLS_KEY_FILE: file };
      ingest = await startIngest(readConfig(env), logged.log);
      await eventually(
        () => call('/ready'),
        ({ status }) => status === 200,
      );
    });
    after(async () => {
      keepAlive.destroy();
      await ingest.stop();
      await world.dispose();
    });

    it('accepts batches, and names its address with https', async () => {
      expect(ingest.url).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
      const body = bodyOf({ metrics: [aFreshMetric()] });
      expect((await call('/edge/metrics', { body })).status).to.equal(202);
    });

    it('refuses TLS 1.1 and plain HTTP, and counts both', async () => {
      const { hostname: host, port } = new URL(ingest.url);
      const old = connectTls({
        host,
        port: Number(port),
        ca: authorities,
        minVersion: 'TLSv1.1',
        maxVersion: 'TLSv1.1',
        ciphers: 'DEFAULT@SECLEVEL=0', // otherwise the client itself refuses TLS 1.1
      });
      const [error] = (await once(old, 'error')) as [Error];
      expect(error.message).to.match(/alert protocol version/);
      const plain = connect({ host, port: Number(port) });
      plain.end('GET /ready HTTP/1.1\r\n\r\n');
      plain.on('error', () => undefined).resume();
      // once() would reject, because the server may also reset the connection.
      await new Promise((resolve) => plain.once('close', resolve));
      await eventually(
        async () => (await call('/internal-backstage/prometheus')).text,
        (text) => /^flagmeter_tls_failed_handshakes_total\{reason="other"\} [2-9]/m.test(text),
      );
    });

    it('uses a renewed certificate for new connections, and keeps the open ones', async () => {
      const before = await call('/ready', { agent: keepAlive });
      await replace(await bundle(renewed.server));
      await eventually(
        () => call('/ready'),
        ({ fingerprint }) => fingerprint !== before.fingerprint,
      );
      const after = await call('/ready', { agent: keepAlive });
      expect([after.fingerprint, after.localPort]).to.deep.equal([before.fingerprint, before.localPort]);
    });

    it('keeps its certificate if the new file is broken, and logs that once', async () => {
      const before = await call('/ready');
      const reload = () => logged.lines().filter(({ job }) => job === 'reload the certificate');
      await replace('no certificate');
      await eventually(
        () => Promise.resolve(reload()),
        (lines) => lines.length > 0,
      );
      expect((await call('/ready')).fingerprint).to.equal(before.fingerprint);
      await replace(await bundle(certificates.server));
      await eventually(
        () => call('/ready'),
        ({ fingerprint }) => fingerprint !== before.fingerprint,
      );
      expect(reload()).to.have.length(1);
    });

    it('does not start with a certificate alone, or with the key of another one', () => {
      const start = (LISTEN_TLS_KEY_FILE: string) =>
        readConfig({ ...world.env, LISTEN_TLS_CERT_FILE: file, LISTEN_TLS_KEY_FILE });
      expect(() => start('')).to.throw('LISTEN_TLS_CERT_FILE and LISTEN_TLS_KEY_FILE are needed together');
      const stranger = renewed.client.key;
      expect(() => start(stranger)).to.throw(
        'LISTEN_TLS_KEY_FILE does not hold the key of LISTEN_TLS_CERT_FILE',
      );
    });

    async function replace(text: string): Promise<void> {
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
    }

    type Answer = { status: number; text: string; fingerprint: string; localPort: number };

    async function call(
      path: string,
      { body, agent = new Agent() }: { readonly body?: string; readonly agent?: Agent } = {},
    ): Promise<Answer> {
      const sent = request(`${ingest.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
        ca: authorities,
        agent,
      });
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const { socket } = response as unknown as { readonly socket: TLSSocket }; // it is a request with https
      const { fingerprint256: fingerprint } = socket.getPeerCertificate();
      const localPort = socket.localPort ?? 0;
      let text = '';
      for await (const chunk of response) text += String(chunk);
      return { status: response.statusCode ?? 0, text, fingerprint, localPort };
    }
  });
});

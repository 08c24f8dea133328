import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inBackground } from '#base/runtime';

/**
 * Issues tokens for client credentials, unsigned as Kafka accepts them without a key. Every client has the secret `SECRET`, and
 * its id is the user of Kafka.
 */
export const SECRET = 'of every client: 100% & ok';

export async function startTokenIssuer() {
  const bodies: string[] = [];
  const issuer = { answer: 200, lifeSeconds: 3600 };
  const server = createServer((request, response) => {
    inBackground(
      text(request).then((body) => {
        bodies.push(body);
        const [id, secret] = credentialsOf(request.headers.authorization ?? '');
        const status = secret === SECRET ? issuer.answer : 401;
        const answer = { access_token: tokenOf(id, issuer.lifeSeconds), expires_in: issuer.lifeSeconds };
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(status === 200 ? JSON.stringify(answer) : '{"error":"invalid_client"}');
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/token`,
    /** What later answers are. */
    issuer,
    /** The bodies of all requests. */
    bodies,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function credentialsOf(header: string): [string, string] {
  const [id = '', secret = ''] = Buffer.from(header.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':');
  return [decodeURIComponent(id), decodeURIComponent(secret)];
}

function tokenOf(sub: string, lifeSeconds: number): string {
  const seconds = Math.floor(Date.now() / 1000);
  const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub, iat: seconds, exp: seconds + lifeSeconds })}.`;
}

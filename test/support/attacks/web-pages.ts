import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** Host names that the owner of a web page can point to any address (DNS rebinding). */
export function foreignHosts(port: string): string[] {
  return ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example', '%'];
}

export function foreignOrigins(port: string): string[] {
  return ['https://evil.example', 'http://localhost:1', 'null', `http://evil.example:${port}`];
}

export type PageRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly path?: string;
};

/** Sends a request as a browser does for a web page, because fetch sets these headers itself. Returns the status. */
export async function askAsPage(url: string, parts: PageRequest): Promise<number> {
  const { headers, method = 'GET', path = '/api/admin/projects' } = parts;
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method, headers });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

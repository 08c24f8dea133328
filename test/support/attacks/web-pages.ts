import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** Names that a page's owner can make lead to any address. */
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

/** What a browser sends for a page; fetch sets these headers itself. Gives the status. */
export async function askAsPage(url: string, parts: PageRequest): Promise<number> {
  const { headers, method = 'GET', path = '/api/admin/projects' } = parts;
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method, headers });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

import type { ServerResponse } from 'node:http';
import { type Respond, type Upstream, type UpstreamRequest, answerJson, startUpstream } from './upstream.ts';

export type UpstreamToken = {
  readonly type: string;
  readonly environment: string;
  readonly projects: readonly string[];
};

/** An upstream that knows tokens like Unleash: `/edge/validate` still lists deleted ones. */
export type TokenUpstream = Upstream & {
  readonly adminToken: string;
  create(secret: string, token?: Partial<UpstreamToken>): void;
  delete(secret: string): void;
  /** The normal answer, for a test that changes the answer for a while. */
  readonly respondTruly: Respond;
  /** Methods and paths of the requests. */
  asked(): string[];
};

export const UPSTREAM_ADMIN = '*:*.upstream-admin-secret-0123456789';

export async function startTokenUpstream(): Promise<TokenUpstream> {
  const created = new Map<string, UpstreamToken>();
  const deleted = new Set<string>();
  const isGood = (secret: string): boolean => created.has(secret) && !deleted.has(secret);

  const validate = (response: ServerResponse, body: string): void => {
    const { tokens } = JSON.parse(body) as { tokens: string[] };
    const known = tokens.flatMap((secret) => {
      const token = created.get(secret);
      return token === undefined ? [] : [{ token: secret, ...token }];
    });
    answerJson(response, { tokens: known });
  };
  const list = (response: ServerResponse): void => {
    const tokens = [...created].filter(([secret]) => isGood(secret));
    answerJson(response, {
      tokens: tokens.map(([secret, token]) => ({ secret, ...token, expiresAt: null })),
    });
  };
  const features = (response: ServerResponse, { headers }: UpstreamRequest): void => {
    const secret = headers.authorization ?? '';
    const isCurrent = headers['if-none-match'] === '"features"';
    const status = !isGood(secret)
      ? 401
      : created.get(secret)?.type !== 'client'
        ? 403
        : isCurrent
          ? 304
          : 200;
    response.writeHead(status, status === 200 ? { etag: '"features"' } : {}).end();
  };
  const respondTruly: Respond = (request, response) => {
    if (request.path === '/edge/validate') validate(response, request.body);
    else if (request.path === '/api/client/features') features(response, request);
    else if (request.path === '/api/admin/api-tokens' && request.headers.authorization === UPSTREAM_ADMIN)
      list(response);
    else response.writeHead(401).end();
  };
  const upstream = await startUpstream(respondTruly);
  const create: TokenUpstream['create'] = (secret, token) => {
    deleted.delete(secret);
    created.set(secret, { type: 'client', environment: 'production', projects: ['*'], ...token });
  };
  create(UPSTREAM_ADMIN, { type: 'admin', environment: '*' });
  return Object.assign(upstream, {
    adminToken: UPSTREAM_ADMIN,
    create,
    delete: (secret: string) => deleted.add(secret),
    respondTruly,
    asked: () => upstream.requests.map(({ method, path }) => `${method} ${path}`),
  });
}

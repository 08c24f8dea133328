import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { inBackground } from '#base/runtime';

/** A post of counts. */
export type Post = {
  readonly appName: string;
  readonly body: string;
  readonly evaluations: number;
  /** What flagmeter answered; undefined while it has not, or if there was no answer. */
  status: number | undefined;
  /** Whether the SDK got the answer. */
  isAnswered: boolean;
};

/** A door to flagmeter that serves one feature to SDKs, and knows what became of their posts. */
export type SdkDoor = {
  readonly url: string;
  readonly posts: readonly Post[];
  /** The next post of counts of this application arrives, but its connection breaks instead of an answer. */
  loseAnswer(appName: string): void;
  /** Whether no post waits for its answer. */
  isQuiet(): boolean;
  close(): void;
};

export const FEATURE = 'basket';

/** `target` is the address of flagmeter; undefined while there is none. */
export async function openSdkDoor(target: () => string | undefined): Promise<SdkDoor> {
  const posts: Post[] = [];
  const losing = new Set<string>();
  let open = 0;
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const sent = await buffer(incoming);
    const post = postOf(incoming, sent);
    if (post !== undefined) posts.push(post);
    const answer = await askFlagmeter(
      `${target() ?? 'http://127.0.0.1:1'}${incoming.url ?? ''}`,
      incoming,
      sent,
    );
    if (post !== undefined) post.status = answer.status;
    if (post !== undefined && post.evaluations > 0 && losing.delete(post.appName)) {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
    if (post !== undefined) post.isAnswered = true;
  };
  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'GET') {
      const features = incoming.url?.startsWith('/api/frontend') === true ? FOR_BROWSERS : FOR_SERVERS;
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(features));
      return;
    }
    open += 1;
    outgoing.once('close', () => (open -= 1));
    inBackground(forward(incoming, outgoing), () => incoming.socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    loseAnswer: (appName) => losing.add(appName),
    isQuiet: () => open === 0,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const STRATEGY = { name: 'default', parameters: {}, constraints: [] };
const FOR_SERVERS = {
  version: 2,
  features: [{ name: FEATURE, type: 'release', enabled: true, strategies: [STRATEGY], variants: [] }],
};
const FOR_BROWSERS = {
  toggles: [
    { name: FEATURE, enabled: true, impressionData: false, variant: { name: 'disabled', enabled: false } },
  ],
};

/** Headers of one connection, and those that `fetch` writes itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

function askFlagmeter(
  url: string,
  { method = '', headers }: IncomingMessage,
  body: Buffer,
): Promise<Response> {
  const sent = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name));
  return fetch(url, {
    method,
    headers: sent.map(([name, value]): [string, string] => [name, String(value)]),
    body: new Uint8Array(body),
  });
}

type Counts = Readonly<Record<string, { readonly yes: number; readonly no: number }>>;

/** Undefined for a registration. */
function postOf({ url = '' }: IncomingMessage, sent: Buffer): Post | undefined {
  if (!url.endsWith('/metrics')) return undefined;
  const body = sent.toString();
  // SDKs wrote it.
  const { appName, bucket } = JSON.parse(body) as { appName: string; bucket: { toggles: Counts } };
  const evaluations = Object.values(bucket.toggles).reduce((sum, { yes, no }) => sum + yes + no, 0);
  return { appName, body, evaluations, status: undefined, isAnswered: false };
}

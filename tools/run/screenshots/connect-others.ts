import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The admin API of the photographed flagmeter. */
export type Admin = { readonly url: string; readonly token: string };

const DELIVERY_DEADLINE_MS = 60_000;

/** Subscriptions whose messages arrive, and places in code, for the pictures of Notifications and Code. */
export async function connectOthers(admin: Admin): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    await subscribe(admin, receiver);
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
  for (const push of PUSHES) await post(admin, '/api/admin/code-references', push);
}

async function subscribe(admin: Admin, receiver: Server): Promise<void> {
  const { port } = receiver.address() as AddressInfo; // an address is a string for pipes only
  for (const subscription of SUBSCRIPTIONS) {
    const url = `http://127.0.0.1:${port}/${subscription.channel}`;
    const { id } = await post<{ id: number }>(admin, '/api/admin/notifications', { ...subscription, url });
    await post(admin, `/api/admin/notifications/${id}/test`, {});
  }
  await untilDelivered(admin);
}

async function untilDelivered(admin: Admin): Promise<void> {
  const deadline = Date.now() + DELIVERY_DEADLINE_MS;
  const undelivered = async (): Promise<number> => {
    const response = await fetch(`${admin.url}/api/admin/notifications`, {
      headers: { authorization: admin.token },
    });
    const { subscriptions } = (await response.json()) as {
      subscriptions: readonly { deliveredAt: string | null; pending: number }[];
    };
    return subscriptions.filter(({ deliveredAt, pending }) => deliveredAt === null || pending > 0).length;
  };
  while ((await undelivered()) > 0) {
    if (Date.now() > deadline) throw new Error('the test messages of the subscriptions did not arrive');
    await sleep(200);
  }
}

async function post<Answer>({ url, token }: Admin, path: string, body: unknown): Promise<Answer> {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer; // the admin API wrote it
}

const SUBSCRIPTIONS = [
  {
    name: 'Flags that can go',
    channel: 'slack',
    causes: ['verdict-appeared'],
    verdicts: ['always_on', 'silent'],
    schedule: 'weekly',
    hour: 8,
    weekday: 1,
  },
  { name: 'Harmful rollouts', channel: 'webhook', causes: ['verdict-appeared'], verdicts: ['harmful'] },
  { name: 'Approvals', channel: 'slack', causes: ['change-request-waiting'] },
];

const PUSHES = [
  {
    repository: 'github.com/example/shop-web',
    branch: 'main',
    places: [
      ['src/pages/checkout/checkout.tsx', 42, 'call'],
      ['src/pages/checkout/payment.tsx', 17, 'call'],
      ['test/checkout.test.tsx', 88, 'mention'],
    ],
  },
  {
    repository: 'github.com/example/shop-api',
    branch: 'main',
    places: [['internal/checkout/handler.go', 131, 'call']],
  },
].map(({ places, ...scanned }) => ({
  ...scanned,
  commit: createHash('sha1').update(scanned.repository).digest('hex'),
  linkTemplate: `https://${scanned.repository}/blob/{commit}/{path}#L{line}`,
  committedAt: new Date().toISOString(),
  leftOut: 0,
  references: places.map(([path, line, kind]) => ({ featureName: 'checkout-one-page', path, line, kind })),
}));

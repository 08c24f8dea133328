import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Postgres } from '#base/postgres';
import type { Api } from '../../admin-api/admin.ts';
import { type Certificates, createCertificates } from '../certificates.ts';
import { eventually } from '../../eventually.ts';
import type { World } from '../../world.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';

export type NotifiedWorld<W extends World = World> = W & {
  /** Starts a receiver on this machine; `dispose` closes it at the latest. */
  startReceiver(port?: number): Promise<Receiver>;
};

/** A world whose messages go to receivers of this machine, made by `createWorld` or `createAdminWorld`. */
export async function createNotifiedWorld<W extends World>(
  create: (overrides: Record<string, string>) => Promise<W>,
  overrides: Record<string, string> = {},
): Promise<NotifiedWorld<W>> {
  const certificates = await createCertificates();
  const started: Receiver[] = [];
  const world = await create({ ...notificationEnv(certificates), ...overrides });
  return {
    ...world,
    async startReceiver(port) {
      const receiver = await startReceiver(certificates.server, port);
      started.push(receiver);
      return receiver;
    },
    async dispose() {
      await world.dispose();
      await Promise.all(started.map((receiver) => receiver.close().catch(() => undefined))); // closed by its test
      await certificates.dispose();
    },
  };
}

/** The settings with which messages go to a receiver of this machine. */
function notificationEnv({ authority }: Certificates): Record<string, string> {
  return {
    SECRETS_KEY: randomBytes(32).toString('base64'),
    NOTIFICATIONS_TO_LOOPBACK: 'true',
    NOTIFICATIONS_CA_FILE: authority,
    CONSOLE_URL: 'https://flags.example.org',
  };
}

export type Subscribed = { readonly id: number; readonly secret: string };

export async function subscribe(api: Api, url: string, members: object = {}): Promise<Subscribed> {
  const body = { name: 'test', channel: 'webhook', url, causes: ['event'], ...members };
  const answer = await api.post('/api/admin/notifications', body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body as Subscribed;
}

export type Webhooked = {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly sentence: string };
};

/** What arrived, checked against the signature. */
export function opened({ headers, body }: Received, { secret }: Subscribed): Webhooked {
  const content = new Webhook(secret).verify(body, headers as Record<string, string>) as Omit<
    Webhooked,
    'id'
  >;
  return { ...content, id: String(headers['webhook-id']) };
}

/** Waits for a number of messages, and returns them. */
export async function untilReceived(receiver: Receiver, count: number): Promise<readonly Received[]> {
  await eventually(
    () => Promise.resolve(receiver.received.length),
    (received) => received >= count,
  );
  return receiver.received;
}

/** Moves the clock of all messages on. */
export async function passTime(db: Postgres, interval: string): Promise<void> {
  await db.query(
    `update notification_deliveries
     set due_at = due_at - $1::interval, queued_at = queued_at - $1::interval`,
    [interval],
  );
}

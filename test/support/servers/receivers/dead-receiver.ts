import { eventually } from '../../eventually.ts';
import type { ServiceProcess } from '../../stack/processes/process.ts';
import { type NotifiedWorld, passTime, untilReceived } from './notified-world.ts';
import type { Received } from './receiver.ts';

type Waiting = { readonly attempts: number; readonly state: string; readonly problem: string | null };

/** Verdicts are looked for once a minute, and a busy machine may miss the first time. */
const APPEARS_WITHIN_MS = 180_000;

/** The message that was written last. */
async function lastDelivery({ db }: NotifiedWorld): Promise<Waiting | undefined> {
  const { rows } = await db.query<Waiting>(
    'select attempts, state, problem from notification_deliveries order by created_at desc limit 1',
  );
  return rows[0];
}

export type Survived = {
  /** The process that sends now. */
  readonly sender: ServiceProcess;
  /** What the receiver had when the sender was killed for the second time. */
  readonly unanswered: Received;
  /** What the receiver accepted. */
  readonly accepted: readonly Received[];
};

/**
 * Nobody listens at the port for an hour of the messages' clock while one message is sent, and the sender is killed twice: between
 * two attempts, and while a receiver has the message and does not answer.
 */
export async function surviveDeadHour(
  world: NotifiedWorld,
  { port, sender }: { readonly port: number; readonly sender: ServiceProcess },
): Promise<Survived> {
  for (let tries = 1; tries <= 3; tries += 1) {
    await eventually(
      () => lastDelivery(world),
      (one) => one?.attempts === tries && one.problem !== null,
      APPEARS_WITHIN_MS,
    );
    await passTime(world.db, '10 minutes');
  }
  await sender.kill();

  const hanging = await world.startReceiver(port);
  hanging.answer(() => undefined);
  const second = await world.fork('admin');
  await passTime(world.db, '15 minutes');
  const [unanswered] = await untilReceived(hanging, 1);
  await second.kill();
  await hanging.close();
  const waiting = await lastDelivery(world);
  if (unanswered === undefined || waiting?.state !== 'pending') throw new Error('the message does not wait');

  const receiver = await world.startReceiver(port);
  const third = await world.fork('admin');
  await passTime(world.db, '15 minutes');
  const accepted = await untilReceived(receiver, 1);
  await eventually(
    () => lastDelivery(world),
    (one) => one?.state === 'delivered',
  );
  return { sender: third, unanswered, accepted };
}

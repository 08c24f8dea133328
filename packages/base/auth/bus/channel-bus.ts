import { withDeadline } from '#base/runtime';
import type { Bus, RevocationListener } from './bus.ts';
import {
  type Answer,
  type Channel,
  DEADLINE_MS,
  type News,
  type Question,
  contentOf,
  createSender,
} from './messages.ts';

/**
 * The bus through the supervisor, which sends what it hears from one of its processes to all of them. The channel exists from the start
 * of the process to its end or that of the supervisor, so nothing is missed before the first look-up of a token.
 */
export function openChannelBus(supervisor: Channel): Bus {
  const listeners: RevocationListener[] = [];
  const questions = new Map<number, (answer: Answer) => void>();
  const sender = createSender(supervisor);
  let asked = 0;

  const ask = async (content: DistributiveOmit<Question, 'id'>): Promise<Answer> => {
    const id = (asked += 1);
    const answered = new Promise<Answer>((resolve) => {
      questions.set(id, resolve);
    });
    try {
      if (!sender.send({ id, ...content } satisfies Question))
        throw new Error('the supervisor cannot be reached');
      return await withDeadline(answered, DEADLINE_MS, 'the supervisor does not answer in time');
    } finally {
      questions.delete(id);
    }
  };
  supervisor.on('message', (message) => {
    const content = contentOf(message) as Answer | News | undefined; // our supervisor has written it
    if (content === undefined) return;
    if ('id' in content) questions.get(content.id)?.(content);
    else if ('revoked' in content) for (const listener of listeners) listener.onRevoked(content.revoked);
    else for (const listener of listeners) listener.onGap();
  });
  supervisor.on('disconnect', () => {
    for (const listener of listeners) listener.onLost();
  });

  return {
    async announce(tokenId) {
      for (const listener of listeners) listener.onRevoked(tokenId);
      const answer = await ask({ revoked: tokenId });
      return 'receivers' in answer ? answer.receivers : 0;
    },
    subscribe(listener) {
      listeners.push(listener);
      queueMicrotask(() => {
        listener.onGap();
      });
    },
    async addUp(requests, windowMs) {
      const answer = await ask({ requests: [...requests], windowMs, at: Date.now() });
      return new Map('rates' in answer ? answer.rates : []);
    },
    close() {
      // The channel is that of the process.
    },
  };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

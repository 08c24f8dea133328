import type { Rate } from './bus.ts';
import {
  type Answer,
  type Channel,
  DEADLINE_MS,
  type News,
  type Question,
  type Sender,
  contentOf,
  createSender,
} from './messages.ts';

/** The part of the supervisor of `flagmeter start` in the bus of its processes. */
export type Hub = {
  /** Call it for each process that it starts, at once. The process leaves when its channel ends. */
  join(channel: Channel): void;
};

type Member = { readonly sender: Sender; tell(news: News): void };

/**
 * Sends what one process says to all of them, and waits for none. If a process does not read, because it is stopped or busy, its
 * messages are dropped. As soon as it reads again it learns that it has missed some, and looks all tokens up again.
 */
export function createHub(): Hub {
  const members = new Set<Member>();
  const tallies = createTallies();
  const answerTo = (question: Question): Answer => {
    if ('requests' in question) {
      // If this process was stopped for a while, the requests are of an earlier window, and nobody waits for the answer any more.
      const isTooOld = Date.now() - question.at > DEADLINE_MS;
      return { id: question.id, rates: isTooOld ? [] : tallies.addUp(question.requests, question.windowMs) };
    }
    for (const member of members) member.tell({ revoked: question.revoked });
    return { id: question.id, receivers: members.size };
  };
  return {
    join(channel) {
      const member = createMember(channel);
      members.add(member);
      channel.on('message', (message) => {
        const question = contentOf(message) as Question | undefined; // one of our processes has asked it
        if (question !== undefined) member.sender.send(answerTo(question));
      });
      channel.on('disconnect', () => members.delete(member));
    },
  };
}

function createMember(channel: Channel): Member {
  let hasMissed = false;
  const sender = createSender(channel, () => {
    if (hasMissed) hasMissed = !sender.send({ missed: true } satisfies News);
  });
  return {
    sender,
    tell(news) {
      hasMissed ||= !sender.send(news);
    },
  };
}

type Tally = { requests: number; readonly resetAt: number };

/** The requests of each token in its current window. Only valid tokens are counted, and each is forgotten with its window. */
function createTallies() {
  const tallies = new Map<string, Tally>();
  return {
    addUp(counted: readonly (readonly [string, number])[], windowMs: number): (readonly [string, Rate])[] {
      const now = performance.now();
      for (const [tokenId, { resetAt }] of tallies) if (resetAt <= now) tallies.delete(tokenId);
      return counted.map(([tokenId, requests]) => {
        const tally = tallies.get(tokenId) ?? { requests: 0, resetAt: now + windowMs };
        tally.requests += requests;
        tallies.set(tokenId, tally);
        return [tokenId, { requests: tally.requests, resetMs: tally.resetAt - now }];
      });
    },
  };
}

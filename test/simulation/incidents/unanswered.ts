import { APPLICATIONS, COUNTS } from '../names.ts';
import { disturb, oneOf } from '../faults/ways.ts';
import type { World } from '../world.ts';
import { timed } from './timed.ts';

/**
 * Batches are stored, but relays learn it late. Meanwhile Kafka begins to reject messages, or a token must be looked up again while
 * Postgres is down.
 */
export const answersOfIngestAreLost = timed((world, { random, log, later, during }) => {
  log('answers of ingest are lost');
  const lostMs = 4000 + random() * 12_000;
  during(lostMs, () => disturb(world.ingests, { answerLost: 1 }));
  const begin = random() < 0.5 ? rejectMessages : announceWithoutPostgres;
  later(lostMs, () => {
    during(5000 + random() * 20_000, () => begin(world));
  });
});

function rejectMessages({ brokers }: World): () => void {
  brokers.setReplication('too few');
  return () => {
    brokers.setReplication('healthy');
  };
}

/** The first relay keeps its token. */
function announceWithoutPostgres({ postgres, redis, relays }: World): () => void {
  postgres.server.kill();
  for (const { token } of relays.slice(0, 1)) redis.announce(token.id);
  return () => {
    postgres.server.start();
  };
}

/** Relays repeat stored batches, whose answers are lost, when Kafka has rejected messages for longer than the breaker waits. */
export const relaysRepeatWhileKafkaRejects = timed((world, { random, log, later, during }) => {
  log('relays repeat stored batches while kafka rejects messages');
  during(9000 + random() * 6000, () => disturb(world.ingests, { answerLost: 1 }));
  later(4000, () => {
    during(14_000 + random() * 8000, () => rejectMessages(world));
  });
});

/** Batches are repeated while one mirror after the other takes over. */
export const relaysRepeatWhileMirrorsChange = timed(
  ({ ingests, mirrors }, { random, log, later, during }) => {
    if (mirrors.length === 0) return;
    log('relays repeat batches while mirrors change');
    during(30_000, () => disturb(ingests, { answerLost: 0.6 }));
    for (let kills = 0; kills < 8; kills += 1)
      later(30_000, () => {
        oneOf(random, mirrors).kill();
      });
  },
);

/**
 * Ingest does not know whether Kafka has stored some batches. Then Kafka rejects everything for longer than a relay waits, or its
 * answers are lost. Meanwhile processes of ingest may stop.
 */
export const doubtLasts = timed((world, { random, log, later, during }) => {
  const { brokers, ingests } = world;
  if (random() < 0.5) {
    log('kafka rejects messages after it has stored some without an answer');
    brokers.setReplication('stalled');
    during(1000 + random() * 6000, () => () => {
      during(30_000 + random() * 10_000, () => rejectMessages(world));
    });
  } else {
    log('answers of kafka are lost');
    during(20_000, () => disturb([{ server: brokers }], { answerLost: 0.7 }));
  }
  for (const ingest of ingests)
    later(20_000, () => {
      if (random() < 0.6) ingest.terminate();
    });
});

/** The partitions of one topic have too few replicas, and those of the other one have enough. */
export const oneTopicRejects = timed(({ brokers }, { random, log, during }) => {
  const topic = random() < 0.7 ? APPLICATIONS : COUNTS;
  log(`${topic} has too few replicas`);
  during(4000 + random() * 20_000, () => {
    brokers.rejecting.add(topic);
    return () => {
      brokers.rejecting.delete(topic);
    };
  });
});

/** Old requests arrive behind newer ones. */
export const requestsArriveLate = timed(({ ingests }, { log, during }) => {
  log('requests to ingest arrive late');
  during(30_000, () => disturb(ingests, { late: 0.5, answerLost: 0.2 }));
});

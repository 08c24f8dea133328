import {
  type Fault,
  afterStall,
  answering,
  clickhouse,
  diesWriting,
  frozen,
  ingest,
  kafka,
  killed,
  killedWriting,
  nothing,
  onOneMirror,
  oneOf,
  replication,
  unreliable,
  worker,
} from './ways.ts';
import { APPLICATIONS, COUNTS, FOREIGN } from '../names.ts';

const IGNORED = { resolve: nothing, reject: nothing };

/** Everything that may go wrong, by name. */
export const FAULTS = {
  'kill ingest': { lastsMs: 0, begin: (world) => (oneOf(world.random, world.ingests).kill(), nothing) },
  'kill worker': { lastsMs: 0, begin: (world) => (oneOf(world.random, world.workers).kill(), nothing) },
  'stop ingest': { lastsMs: 0, begin: (world) => (oneOf(world.random, world.ingests).terminate(), nothing) },
  'stop worker': { lastsMs: 0, begin: (world) => (oneOf(world.random, world.workers).terminate(), nothing) },
  'freeze ingest': { lastsMs: 0, begin: frozen(ingest, 10_000) },
  'freeze worker': { lastsMs: 0, begin: frozen(worker, 40_000) },
  'kill mirror': onOneMirror((mirror) => {
    mirror.kill();
  }),
  'stop mirror': onOneMirror((mirror) => {
    mirror.terminate();
  }),
  'freeze mirror': onOneMirror((mirror, { random }) => {
    mirror.freeze(random() * 40_000);
  }),
  'kill unleash': { lastsMs: 20_000, begin: killed(({ unleash }) => unleash.server) },
  'freeze unleash': { lastsMs: 0, begin: frozen(({ unleash }) => unleash.server, 40_000) },
  'network to unleash': { lastsMs: 20_000, begin: unreliable(({ unleash }) => unleash.server) },
  'unleash is overloaded': { lastsMs: 20_000, begin: answering(503) },
  'unleash rejects the token': { lastsMs: 20_000, begin: answering(401) },
  'network to ingest': { lastsMs: 15_000, begin: unreliable(ingest) },
  'network to kafka': { lastsMs: 15_000, begin: unreliable(kafka) },
  'network to clickhouse': { lastsMs: 30_000, begin: unreliable(clickhouse) },
  'kill kafka': { lastsMs: 10_000, begin: killed(kafka) },
  'freeze kafka': { lastsMs: 0, begin: frozen(kafka, 15_000) },
  'move leaders': { lastsMs: 0, begin: ({ brokers }) => (brokers.moveLeaders(), nothing) },
  'stalled replicas': { lastsMs: 15_000, begin: replication('stalled') },
  'too few replicas': { lastsMs: 15_000, begin: replication('too few') },
  'a leader that dies before it replicated': {
    lastsMs: 12_000,
    begin: afterStall(({ brokers }) => {
      brokers.moveLeaders();
    }),
  },
  'replicas that leave after an append': { lastsMs: 12_000, begin: afterStall(() => undefined) },
  'full disk of kafka': { lastsMs: 10_000, begin: replication('full') },
  'kill clickhouse within an INSERT': { lastsMs: 20_000, begin: killedWriting(() => undefined) },
  'a worker freezes while clickhouse dies within its INSERT': {
    lastsMs: 20_000,
    begin: killedWriting(({ workers, random }) => {
      for (const one of workers) if (random() < 0.7) one.freeze(random() * 40_000);
    }),
  },
  'clickhouse restarts while INSERTs travel': {
    lastsMs: 10_000,
    begin(world) {
      const server = clickhouse(world);
      server.conditions.late = 0.6;
      return () => {
        server.heal();
        server.kill();
        server.start();
        diesWriting(world, server);
      };
    },
  },
  'fail over to a lagging replica': {
    lastsMs: 30_000,
    begin({ clickhouse: servers, schedule, supervisor, random }) {
      const [first, second] = random() < 0.5 ? servers : [...servers].reverse();
      if (first === undefined || second === undefined) return nothing;
      second.setLagging(true);
      const death = schedule.after(supervisor, random() * 10_000, {
        label: 'kill the other replica',
        action: () => {
          first.kill();
        },
      });
      return () => {
        death.isCancelled = true;
        first.start();
        second.setLagging(false);
      };
    },
  },
  'stop ingest while kafka is frozen': {
    lastsMs: 0,
    begin(world) {
      frozen(kafka, 20_000)(world);
      world.schedule.after(world.supervisor, world.random() * 5000, {
        label: 'stop ingest',
        action: () => {
          oneOf(world.random, world.ingests).terminate();
        },
      });
      return nothing;
    },
  },
  'kill clickhouse': { lastsMs: 10_000, begin: killed(clickhouse) },
  'freeze clickhouse': { lastsMs: 0, begin: frozen(clickhouse, 60_000) },
  'full disk of clickhouse': {
    lastsMs: 15_000,
    begin(world) {
      for (const server of world.clickhouse) server.isDiskFull = true;
      return () => {
        for (const server of world.clickhouse) server.isDiskFull = false;
      };
    },
  },
  'lagging replica': {
    lastsMs: 30_000,
    begin({ clickhouse: servers, random }) {
      if (servers.length === 1) return nothing;
      const server = oneOf(random, servers);
      server.setLagging(true);
      return () => {
        server.setLagging(false);
      };
    },
  },
  'a token is revoked': {
    lastsMs: 0,
    begin({ relays, postgres, redis }) {
      // The first relay keeps its token, so that there always is traffic.
      const [, relay] = relays;
      if (relay === undefined || postgres.revokedAt.has(relay.token.id)) return nothing;
      postgres.revoke(relay.token.id);
      redis.announce(relay.token.id);
      return nothing;
    },
  },
  'a message that nobody can decode': {
    lastsMs: 0,
    begin({ brokers, random, partitions, schedule }) {
      const topic = random() < 0.7 ? COUNTS : APPLICATIONS;
      const partition = topic === COUNTS ? Math.floor(random() * partitions) : 0;
      brokers.append({ topic, partition, values: [Buffer.from(`${FOREIGN} ${schedule.steps}`)] }, IGNORED);
      return nothing;
    },
  },
  'kill postgres': { lastsMs: 20_000, begin: killed(({ postgres }) => postgres.server) },
  'kill redis': {
    lastsMs: 20_000,
    begin({ redis }) {
      redis.server.kill();
      return () => {
        redis.start();
      };
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;
export const ALL_FAULTS = Object.keys(FAULTS) as FaultName[]; // the keys of a literal

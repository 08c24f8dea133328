import type { ClickHouseServer } from '../clickhouse/server.ts';
import type { Engine } from '../network.ts';
import { freeze } from '../time/schedule.ts';
import type { World } from '../world.ts';

/** A fault begins, lasts, and ends. */
export type Fault = {
  /** The longest time that it lasts. */
  readonly lastsMs: number;
  /** Begins it; returns what ends it. */
  readonly begin: (world: World) => () => void;
};

const oneOf = <T>(random: () => number, items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
};

/** What ends a fault that ends by itself. */
export const nothing = (): void => undefined;

function killed(choose: (world: World) => Engine): Fault['begin'] {
  return (world) => {
    const engine = choose(world);
    engine.kill();
    return () => {
      engine.start();
    };
  };
}

function frozen(choose: (world: World) => Engine, ms: number): Fault['begin'] {
  return (world) => {
    freeze(choose(world).actor, world.schedule.now + world.random() * ms);
    return nothing;
  };
}

/** A network that loses and delays. */
function unreliable(choose: (world: World) => Engine): Fault['begin'] {
  return (world) => {
    const engine = choose(world);
    const { random } = world;
    Object.assign(engine.conditions, {
      requestLost: random() * 0.2,
      answerLost: random() * 0.4,
      late: random() * 0.2,
      latencyMs: random() < 0.3 ? 2000 : 50,
    });
    return () => {
      engine.heal();
    };
  };
}

const kafka = ({ brokers }: World): Engine => brokers;
const clickhouse = ({ clickhouse: servers, random }: World): ClickHouseServer => oneOf(random, servers);
const ingest = ({ ingests, random }: World): Engine => oneOf(random, ingests).server;
const worker = ({ workers, random }: World): Engine => oneOf(random, workers).server;

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
  'kill postgres': { lastsMs: 20_000, begin: killed(({ tokens }) => tokens.postgres) },
  'kill redis': {
    lastsMs: 20_000,
    begin({ tokens }) {
      tokens.redis.kill();
      return () => {
        tokens.startRedis();
      };
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;

function replication(state: 'stalled' | 'too few' | 'full'): Fault['begin'] {
  return ({ brokers }) => {
    brokers.setReplication(state);
    return () => {
      brokers.setReplication('healthy');
    };
  };
}

/** A server is killed within its next write of a part, and something happens with it. */
function killedWriting(happens: (world: World) => void): Fault['begin'] {
  return (world) => {
    const server = oneOf(world.random, world.clickhouse);
    server.insteadOfWriting = () => {
      server.kill();
      happens(world);
    };
    return () => {
      server.insteadOfWriting = undefined;
      server.start();
      // Workers that all waited for it meet in their completions of one block.
      if (world.random() < 0.5) slowDown(world, server);
    };
  };
}

const RESTART_MS = 3000;
const SLOW_MS = 5000;

/** The next write of a part kills the server, which then starts again. */
function diesWriting({ schedule, supervisor, random }: World, server: ClickHouseServer): void {
  server.insteadOfWriting = () => {
    server.kill();
    schedule.after(supervisor, random() * RESTART_MS, {
      label: 'clickhouse starts',
      action: () => {
        server.start();
      },
    });
  };
}

function slowDown({ schedule, supervisor, random }: World, server: ClickHouseServer): void {
  server.conditions.latencyMs = 1000;
  schedule.after(supervisor, random() * SLOW_MS, {
    label: 'clickhouse is fast again',
    action: () => {
      server.heal();
    },
  });
}

/** Messages are appended but not replicated; then something happens, and too few replicas are in sync. */
function afterStall(happens: (world: World) => void): Fault['begin'] {
  return (world) => {
    const { brokers, schedule, random, supervisor } = world;
    brokers.setReplication('stalled');
    const event = schedule.after(supervisor, random() * 2500, {
      label: 'too few replicas',
      action: () => {
        happens(world);
        brokers.setReplication('too few');
      },
    });
    return () => {
      event.isCancelled = true;
      brokers.setReplication('healthy');
    };
  };
}

function onOneMirror(happens: (mirror: World['mirrors'][number], world: World) => void): Fault {
  return {
    lastsMs: 0,
    begin(world) {
      if (world.mirrors.length > 0) happens(oneOf(world.random, world.mirrors), world);
      return nothing;
    },
  };
}

/** Unleash answers every post with this status. */
function answering(status: number): Fault['begin'] {
  return ({ unleash }) => {
    unleash.status = status;
    return () => {
      unleash.status = 202;
    };
  };
}

export type FaultName = keyof typeof FAULTS;
export const ALL_FAULTS = Object.keys(FAULTS) as FaultName[]; // the keys of a literal

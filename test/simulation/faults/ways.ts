import type { ClickHouseServer } from '../clickhouse/server.ts';
import type { Conditions, Engine } from '../network.ts';
import { freeze } from '../time/schedule.ts';
import type { World } from '../world.ts';

/** A fault begins, lasts, and ends. */
export type Fault = {
  /** The longest time that it lasts. */
  readonly lastsMs: number;
  /** Begins it; returns what ends it. */
  readonly begin: (world: World) => () => void;
};

export const oneOf = <T>(random: () => number, items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
};

/** What ends a fault that ends by itself. */
export const nothing = (): void => undefined;

export function killed(choose: (world: World) => Engine): Fault['begin'] {
  return (world) => {
    const engine = choose(world);
    engine.kill();
    return () => {
      engine.start();
    };
  };
}

export function frozen(choose: (world: World) => Engine, ms: number): Fault['begin'] {
  return (world) => {
    freeze(choose(world).actor, world.schedule.now + world.random() * ms);
    return nothing;
  };
}

/** A network that loses and delays. */
export function unreliable(choose: (world: World) => Engine): Fault['begin'] {
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

/** Changes the network of these servers; returns what heals it. */
export function disturb(
  servers: readonly { readonly server: Engine }[],
  conditions: Partial<Conditions>,
): () => void {
  for (const { server } of servers) Object.assign(server.conditions, conditions);
  return () => {
    for (const { server } of servers) server.heal();
  };
}

export const kafka = ({ brokers }: World): Engine => brokers;
export const clickhouse = ({ clickhouse: servers, random }: World): ClickHouseServer =>
  oneOf(random, servers);
export const ingest = ({ ingests, random }: World): Engine => oneOf(random, ingests).server;
export const worker = ({ workers, random }: World): Engine => oneOf(random, workers).server;

export function replication(state: 'stalled' | 'too few' | 'full'): Fault['begin'] {
  return ({ brokers }) => {
    brokers.setReplication(state);
    return () => {
      brokers.setReplication('healthy');
    };
  };
}

/** A server is killed within its next write of a part, and something happens with it. */
export function killedWriting(happens: (world: World) => void): Fault['begin'] {
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

/** The next write of a part kills the server, which then starts again, and something happens with it. */
export function diesWriting(
  { schedule, supervisor, random }: World,
  server: ClickHouseServer,
  happens: () => void = nothing,
): void {
  server.insteadOfWriting = () => {
    server.kill();
    happens();
    schedule.after(supervisor, random() * RESTART_MS, {
      label: 'clickhouse starts',
      action: () => {
        server.start();
      },
    });
  };
}

export function slowDown({ schedule, supervisor, random }: World, server: ClickHouseServer): void {
  server.conditions.latencyMs = 1000;
  schedule.after(supervisor, random() * SLOW_MS, {
    label: 'clickhouse is fast again',
    action: () => {
      server.heal();
    },
  });
}

/** Messages are appended but not replicated; then something happens, and too few replicas are in sync. */
export function afterStall(happens: (world: World) => void): Fault['begin'] {
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

export function onOneMirror(happens: (mirror: World['mirrors'][number], world: World) => void): Fault {
  return {
    lastsMs: 0,
    begin(world) {
      if (world.mirrors.length > 0) happens(oneOf(world.random, world.mirrors), world);
      return nothing;
    },
  };
}

/** Unleash answers every post with this status. */
export function answering(status: number): Fault['begin'] {
  return ({ unleash }) => {
    unleash.status = status;
    return () => {
      unleash.status = 202;
    };
  };
}

import { keyOfSender, partitionOfSender, senderOf } from '#core/counting';
import type { Random } from '../builders/random.ts';
import { eventually } from '../eventually.ts';
import { isNight } from '../nightly.ts';
import type { ServiceProcess } from '../stack/processes/process.ts';
import type { Preload } from '../stack/processes/programs.ts';
import { type World, createWorld } from '../world.ts';
import { Ledger } from './ledger.ts';
import { type Load, type LoadOptions, startLoad } from './load.ts';
import { NOBODY, type Onlookers, startOnlookers } from './onlookers.ts';

export type Role = 'ingest' | 'worker' | 'admin';

/** Only onlookers need the admin process, and the stories in which it has a part. */
type Cast = Record<'ingest' | 'worker', ServiceProcess> & { admin?: ServiceProcess };

export type SceneOptions = {
  /** Environment of the world. */
  readonly env?: Readonly<Record<string, string>>;
  /** Environment of single processes. */
  readonly envOf?: Readonly<Partial<Record<Role, Readonly<Record<string, string>>>>>;
  readonly preloadsOf?: Readonly<Partial<Record<Role, readonly Preload[]>>>;
  readonly load?: Partial<Omit<LoadOptions, 'ledger' | 'random'>>;
  /** The story stores blocks partially, so the accounting differs until the blocks are completed. */
  readonly mayDiffer?: boolean;
  /**
   * By day, admin and onlookers cost more than the rest of a scene. Other stories show them what may mislead them: tables that differ, and
   * processes that end. The default is `always`.
   */
  readonly onlookers?: 'always' | 'at night';
  /** Called after the world is set up and before any process starts. */
  readonly onWorld?: (world: World) => void | Promise<void>;
  /** Called after the processes have started and before the load starts. */
  readonly onCast?: (cast: Scene['cast']) => void;
};

/** A flagmeter of separate processes under load. */
export type Scene = {
  readonly world: World;
  readonly ledger: Ledger;
  readonly load: Load;
  readonly onlookers: Onlookers;
  /** The processes that currently have the roles. */
  readonly cast: Readonly<Cast>;
  readonly mayDiffer: boolean;
  /** Start time of the processes when none had to wait for a predecessor. It shows how slow this machine is. */
  readonly startMs: number;
  /** Gives a role to another process, ready or not. The caller handles the old process. */
  replace(role: Role, recast?: Recast): Promise<ServiceProcess>;
  /** Resolves when blocks were stored after the call. */
  counted(): Promise<void>;
  /**
   * Resolves when blocks of every partition that the load uses were stored after the call. Otherwise a fault could
   * hit a worker that is still taking partitions over, before any INSERT.
   */
  countedEverywhere(): Promise<void>;
  /** Throws if a process of the cast has ended. */
  expectAllAlive(): void;
  close(): Promise<void>;
};

export type Recast = {
  readonly env?: Readonly<Record<string, string>>;
  readonly preloads?: readonly Preload[];
};

/**
 * Each batch of a ledger names its own feature. On a fast machine that exceeds the default number of names that one
 * token may send in an hour.
 */
const MANY_NAMES = { MAX_FEATURES_PER_HOUR: '10000000', MAX_APPS_PER_HOUR: '10000000' };

/**
 * As many as by default. By day there are as many as in other worlds: under load a worker stores a block of each partition every second,
 * which costs ClickHouse a tenth of a second of CPU.
 */
const PARTITIONS_AT_NIGHT = isNight() ? { KAFKA_COUNTS_PARTITIONS: '4' } : {};

/** Sets up a world, starts ingest, a worker and a load that is already counted, and for the onlookers also admin. */
export async function openScene(random: Random, options: SceneOptions): Promise<Scene> {
  const { env = {}, envOf = {}, preloadsOf = {}, mayDiffer = false } = options;
  const isWatched = isNight() || options.onlookers !== 'at night';
  const ledger = new Ledger();
  const world = await createWorld({ ...MANY_NAMES, ...PARTITIONS_AT_NIGHT, ...env });
  try {
    await options.onWorld?.(world);
    const fork = (role: Role): Promise<ServiceProcess> => world.fork(role, envOf[role], preloadsOf[role]);
    const startedAt = Date.now();
    const [ingest, worker, admin] = await Promise.all([
      fork('ingest'),
      fork('worker'),
      isWatched ? fork('admin') : undefined,
    ]);
    const cast: Cast = { ingest, worker, ...(admin && { admin }) };
    options.onCast?.(cast);
    const load = startLoad({ url: () => cast.ingest.url, ...options.load, ledger, random });
    const startMs = Date.now() - startedAt;
    const onlookers = isWatched ? startOnlookers({ world, cast }) : NOBODY;
    const scene = createScene(world, { ledger, cast, load, onlookers, mayDiffer, startMs });
    try {
      await scene.countedEverywhere();
      return scene;
    } catch (error) {
      await Promise.allSettled([load.stop(), onlookers.stop()]);
      throw error;
    }
  } catch (error) {
    await world.dispose();
    throw error;
  }
}

/** How many batches were not acknowledged so far. Waits until every relay knows the fate of its last one. */
export function countFailed({ load, ledger }: Scene): Promise<Record<'rejected' | 'unknown', number>> {
  return load.whilePaused(() =>
    Promise.resolve({ rejected: ledger.count('rejected'), unknown: ledger.count('unknown') }),
  );
}

/** The process that currently has a role. A scene without onlookers has no admin. */
export function processOf({ cast }: Scene, role: Role): ServiceProcess {
  const process = cast[role];
  if (process === undefined) throw new Error(`this scene has no ${role}`);
  return process;
}

type Parts = {
  readonly ledger: Ledger;
  readonly cast: Cast;
  readonly load: Load;
  readonly onlookers: Onlookers;
  readonly mayDiffer: boolean;
  readonly startMs: number;
};

function createScene(world: World, { cast, load, ...parts }: Parts): Scene {
  return {
    world,
    load,
    cast,
    ...parts,
    async replace(role, { env, preloads } = {}) {
      const launched = await world.launch(role, env, preloads);
      cast[role] = launched;
      return launched;
    },
    async counted() {
      const before = await countBlocks(world);
      await eventually(
        () => countBlocks(world),
        (blocks) => blocks > before,
        90_000,
      );
    },
    async countedEverywhere() {
      const { countsPartitions } = world.config.kafka;
      const senders = load.senders.map((idempotencyKey) => senderOf({ idempotencyKey })?.name ?? '');
      const reached = senders.map((sender) => partitionOfSender(keyOfSender(sender), countsPartitions));
      const before = await countBlocksByPartition(world);
      await eventually(
        () => countBlocksByPartition(world),
        (blocks) => reached.every((partition) => (blocks.get(partition) ?? 0) > (before.get(partition) ?? 0)),
        90_000,
      );
    },
    expectAllAlive() {
      const ended = Object.entries(cast).flatMap(([role, process]) => (process.hasEnded() ? role : []));
      if (ended.length > 0) throw new Error(`${ended.join(', ')} ended and would need an operator`);
    },
    async close() {
      await Promise.allSettled([load.stop(), parts.onlookers.stop()]); // the test has reported the reason
      await world.dispose();
    },
  };
}

async function countBlocks(world: World): Promise<number> {
  const [row] = await world.query<{ blocks: string }>('select count() as blocks from blocks');
  return Number(row?.blocks ?? 0);
}

async function countBlocksByPartition(world: World): Promise<Map<number, number>> {
  const rows = await world.query<{ partition: number; blocks: string }>(
    'select partition, count() as blocks from blocks group by partition',
  );
  return new Map(rows.map(({ partition, blocks }) => [partition, Number(blocks)]));
}

import { readFile } from 'node:fs/promises';

/** The members that we read of the output of `node --cpu-prof` (Chrome DevTools Protocol, Profiler.Profile). */
type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** Parts of the total time (0 to 1), the largest first. */
export type Shares = readonly (readonly [string, number])[];

export type ReadProfile = { readonly modules: Shares; readonly functions: Shares };

/** Own time by module and by function, from `sinceMs` on. Idle time is left out. */
export async function readCpuProfile(file: string, sinceMs: number): Promise<ReadProfile> {
  const profile = JSON.parse(await readFile(file, 'utf8')) as CpuProfile; // Node's own
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const modules = new Map<string, number>();
  const functions = new Map<string, number>();
  let [total, elapsed] = [0, 0];
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    const micros = profile.timeDeltas[index] ?? 0;
    elapsed += micros;
    if (frame === undefined || frame.functionName === '(idle)' || elapsed < sinceMs * 1000) continue;
    const place = moduleOf(frame.url);
    const name = `${frame.functionName || '(anonymous)'} ${place === '' ? '' : `${place}:${frame.lineNumber + 1}`}`;
    add(modules, place || frame.functionName || '(native)', micros);
    add(functions, name.trim(), micros);
    total += micros;
  }
  return { modules: sharesOf(modules, total), functions: sharesOf(functions, total) };
}

/** `kafkajs`, `node:net`, `packages/core/counting/block/block.js`; empty for native code. */
function moduleOf(url: string): string {
  const installed = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return installed ?? /(?:packages|services|infra)\/.*$/.exec(url)?.[0] ?? url;
}

function add(sums: Map<string, number>, key: string, micros: number): void {
  sums.set(key, (sums.get(key) ?? 0) + micros);
}

function sharesOf(sums: ReadonlyMap<string, number>, total: number): Shares {
  return [...sums].map(([key, micros]) => [key, micros / total] as const).sort((a, b) => b[1] - a[1]);
}

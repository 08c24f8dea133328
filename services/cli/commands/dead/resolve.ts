import {
  type Engines,
  type Letter,
  type Resolved,
  completeReplays,
  obstacleOf,
  readLetters,
  resolveLetters,
  withEngines,
  withLockedEngines,
} from '#tooling/operations';
import { type Config, FlagmeterError, type Log, amountOf } from '#base/runtime';
import { createProgress } from '../../progress.ts';

export type ResolveOptions = {
  readonly keys: readonly string[];
  readonly resolution: 'replayed' | 'dropped';
  readonly all: boolean;
  readonly yes: boolean;
};

type Surroundings = { readonly config: Config; readonly log: Log };

/**
 * Replays or drops dead letters, or shows what it would do. Returns whether it could resolve every chosen letter, or would be
 * able to.
 */
export async function resolve({ config, log }: Surroundings, options: ResolveOptions): Promise<boolean> {
  const { keys, all, yes } = options;
  if (all === keys.length > 0) throw new FlagmeterError('usage', 'name the keys, or use --all');
  if (!yes) return withEngines(config, log, (engines) => foretell(engines, options));
  return withLockedEngines(config, log, async (engines, lock) => {
    const completed = await completeReplays(engines);
    if (completed > 0) console.log(`Completed ${amountOf(completed, 'interrupted replay')}.`);
    const letters = await readLetters(engines);
    const chosen = choose(letters, options);
    const progress = createProgress();
    const left: Resolved[] = [];
    const outcomes = new Map<string, number>();
    let done = 0;
    await resolveLetters(engines, {
      resolution: options.resolution,
      chosen,
      letters,
      lock,
      onResolved(resolved) {
        outcomes.set(resolved.outcome, (outcomes.get(resolved.outcome) ?? 0) + 1);
        if (resolved.outcome === 'left') left.push(resolved);
        done += 1;
        progress.show(`${done} of ${amountOf(chosen.length, 'dead letter')}`);
      },
    });
    progress.end();
    for (const { letter, detail } of left.slice(0, MAX_LINES)) console.log(`${letter.key}: ${detail}`);
    if (left.length > MAX_LINES) console.log(`... and ${left.length - MAX_LINES} more`);
    const summary = Array.from(outcomes, ([outcome, count]) => `${count} ${TEXTS[outcome] ?? outcome}`);
    console.log(summary.length === 0 ? 'There is nothing to do.' : `${summary.join(', ')}.`);
    return left.length === 0;
  });
}

const MAX_LINES = 100;

const TEXTS: Readonly<Record<string, string>> = {
  counted: 'counted',
  duplicate: 'already counted in another message',
  registered: 'registered',
  dropped: 'dropped',
  left: 'left unchanged',
};

async function foretell(engines: Engines, options: ResolveOptions): Promise<boolean> {
  const chosen = choose(await readLetters(engines), options);
  const obstacles = chosen.map((letter) => ({ letter, obstacle: obstacleOf(letter, options.resolution) }));
  const blocked = obstacles.filter(({ obstacle }) => obstacle !== undefined);
  for (const { letter, obstacle } of blocked.slice(0, MAX_LINES))
    console.log(`${letter.key}: ${obstacle ?? ''}`);
  if (blocked.length > MAX_LINES) console.log(`... and ${blocked.length - MAX_LINES} more`);
  console.log(
    `${amountOf(chosen.length - blocked.length, 'dead letter')} would be ${options.resolution}, ${blocked.length} left unchanged. ` +
      'Nothing was done. Add --yes to do it.',
  );
  return blocked.length === 0;
}

/** The chosen letters. To resolve a letter twice in the same way is not an error. */
function choose(letters: readonly Letter[], { keys, all, resolution }: ResolveOptions): Letter[] {
  if (all) return letters.filter(({ state }) => state === 'open');
  const wanted = new Set(keys);
  const chosen = letters.filter(({ key }) => wanted.has(key));
  for (const { key } of chosen) wanted.delete(key);
  const [unknown] = wanted;
  if (unknown !== undefined) throw new FlagmeterError('not-found', `there is no dead letter ${unknown}`);
  const remaining = chosen.filter(({ state }) => state !== resolution);
  if (remaining.length < chosen.length) {
    console.log(`Already ${resolution}: ${amountOf(chosen.length - remaining.length, 'dead letter')}.`);
  }
  return remaining;
}

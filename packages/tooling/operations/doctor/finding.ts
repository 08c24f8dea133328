import { type SystemName, explainTrouble, withDeadline } from '#base/runtime';

export type State = 'ok' | 'warn' | 'fail';

/** The result of a check: a sentence about what is there, and one about what to do. */
export type Judgement = { readonly state: State; readonly text: string; readonly advice?: string };

export type Finding = Judgement & { readonly check: string };

export type Check = {
  readonly name: string;
  readonly run: () => Promise<Judgement>;
  /** By default `DEADLINE_MS`. */
  readonly deadlineMs?: number;
};

/** The checks of one engine. The first one finds out whether the engine can be used; without it no other can be made. */
export type Examination = {
  readonly engine: SystemName;
  readonly checks: readonly [Check, ...Check[]];
  readonly close: () => Promise<void>;
};

/** A frozen engine accepts connections but does not answer. */
const DEADLINE_MS = 10_000;
const CLOSE_WITHIN_MS = 1000;

export const ok = (text: string): Judgement => ({ state: 'ok', text });
export const warn = (text: string, advice: string): Judgement => ({ state: 'warn', text, advice });
export const fail = (text: string, advice: string): Judgement => ({ state: 'fail', text, advice });

/** Makes the checks of an engine one after the other, and closes the connections. It never rejects. */
export async function examineEngine({ engine, checks, close }: Examination): Promise<Finding[]> {
  const [first, ...others] = checks;
  const found = [await make(first, (error) => fail(explainTrouble(engine, error), CONNECT))];
  const isUsable = found.every(({ state }) => state !== 'fail');
  for (const check of others) {
    const skipped = notMade(`${engine} cannot be used.`);
    found.push(
      isUsable
        ? await make(check, (error) => notMade(explainTrouble(engine, error)))
        : { ...skipped, check: check.name },
    );
  }
  // A frozen engine does not close a connection in order.
  await withDeadline(close(), CLOSE_WITHIN_MS, 'not closed').catch(() => undefined);
  return found;
}

const CONNECT = 'Check the address, the login and the TLS settings.';

/** A check that could not be made. It shows nothing about the installation, so it is not a failure. */
export function notMade(reason: string): Judgement {
  return warn(`Not checked: ${reason}`, 'Remove the cause and run the command again.');
}

async function make(
  { name, run, deadlineMs = DEADLINE_MS }: Check,
  onError: (error: unknown) => Judgement,
): Promise<Finding> {
  try {
    const late = `no answer, timeout after ${deadlineMs} ms`;
    return { check: name, ...(await withDeadline(run(), deadlineMs, late)) };
  } catch (error) {
    return { check: name, ...onError(error) };
  }
}

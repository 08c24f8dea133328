import type { Answer, Api } from '../../api/requests/client.ts';
import type { Path } from '../../state/paths/path.ts';
import { Isolated } from '../parts.tsx';

/** A record that a form changes, and that somebody else may change meanwhile. */
export type Edited<T> = {
  /** Where it is read, with its version. */
  readonly path: Path;
  readonly opened: T;
  /** The version of `opened`. */
  readonly etag: string | undefined;
  /** What the form sets, by label. What else changes is no conflict. */
  readonly shown: (record: T) => Readonly<Record<string, string>>;
};

export type Conflict = {
  readonly etag: string | undefined;
  readonly now: readonly (readonly [label: string, value: string])[];
};

/** What others have set since of what the form sets. */
export async function readConflict<T>(
  api: Api,
  { path, shown }: Edited<T>,
  before: Readonly<Record<string, string>>,
): Promise<Answer<Conflict>> {
  const answer = await api.get<T>(path);
  if (answer.problem !== undefined) return answer;
  const now = Object.entries(shown(answer.body)).filter(([label, value]) => before[label] !== value);
  return { body: { etag: answer.etag, now } };
}

/** What is new, beside what the reader has typed. */
export function ConflictNote({ of: { now } }: { readonly of: Conflict }) {
  return (
    <div class="trouble" role="alert">
      <p>
        Somebody has changed this meanwhile. What you typed is kept; sending it again replaces what is new:
      </p>
      <dl>
        {now.map(([label, value]) => (
          <div key={label}>
            <dt>{label} is now</dt>
            <dd>
              <Isolated>{value === '' ? 'empty' : value}</Isolated>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

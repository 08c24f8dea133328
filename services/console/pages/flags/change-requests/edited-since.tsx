import { useState } from 'preact/hooks';
import { say } from '#base/words';
import { useDifferences } from './read-change-requests.ts';
import type { Caller, ChangeRequest } from '../../../types.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/parts.tsx';
import { Edits } from './edits.tsx';

type Props = { readonly of: ChangeRequest; readonly caller: Caller };

/** What edits have changed since the reader approved the request, or opened this page. Nothing without edits. */
export function EditedSince({ of, caller }: Props) {
  const approved = withdrawnBy(caller, of);
  const [read, setRead] = useState(approved ?? of.version);
  const differences = useDifferences(of, of.version > read ? read : undefined);
  if (of.version <= read) return null;
  const since = approved === read ? 'you approved it' : 'you read it';
  return (
    <Section title={say`Edited since ${since}`}>
      <Loaded of={differences}>{(found) => <Edits of={found} />}</Loaded>
      <p class="actions">
        <button
          type="button"
          onClick={() => {
            setRead(of.version);
          }}
        >
          I have read the edits
        </button>
      </p>
    </Section>
  );
}

/**
 * The version that the reader approved before an edit withdrew the approval. All ADMIN tokens have one id, but their own names.
 */
function withdrawnBy({ user, authentication }: Caller, of: ChangeRequest): number | undefined {
  const own = of.withdrawnApprovals.find(
    ({ createdBy }) =>
      createdBy.id === user.id && (user.id > 0 || createdBy.username === authentication.tokenName),
  );
  return own?.version;
}

import { useState } from 'preact/hooks';
import { useChange } from '../../../api/requests/change.ts';
import { commentChange } from './read-change-requests.ts';
import type { ChangeRequest } from '../../../types.ts';
import { olderCommentsWords } from '../../../state/sentences/index.ts';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { limitsOf } from '../../../ui/dialogs/control.ts';
import { useTouched } from '../../../ui/dialogs/touched.ts';
import { Trouble } from '../../../ui/loaded.tsx';
import { Empty, Name, Section, Time, Isolated } from '../../../ui/parts.tsx';

type Props = { readonly of: ChangeRequest; readonly mayComment: boolean };

/** More are shown when somebody asks for them. */
const SHOWN = 100;

/** What people said last, oldest first, and a field for more. */
export function Comments({ of, mayComment }: Props) {
  const [wanted, setWanted] = useState(SHOWN);
  const shown = of.comments.slice(-wanted);
  const older = of.comments.length - shown.length;
  return (
    <Section title="Comments">
      {of.comments.length === 0 && <Empty>Nobody commented.</Empty>}
      {older > 0 && (
        <button
          type="button"
          onClick={() => {
            setWanted(wanted + SHOWN);
          }}
        >
          {olderCommentsWords(older)}
        </button>
      )}
      <ul class="items">
        {shown.map(({ id, text, createdBy, createdAt }) => (
          <li key={id}>
            <Isolated>{text}</Isolated>
            <p>
              <Time at={createdAt} /> by <Name>{createdBy.username ?? 'unknown'}</Name>
            </p>
          </li>
        ))}
      </ul>
      {mayComment && <NewComment of={of} />}
    </Section>
  );
}

function NewComment({ of }: Pick<Props, 'of'>) {
  const { make, isBusy, problem } = useChange();
  const [text, setText] = useState('');
  const { touch, settle } = useTouched('page');
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const answer = await make(commentChange(of, text.trim()), { done: 'The comment is added.' });
    if (answer.problem !== undefined) return;
    setText('');
    settle();
  };
  return (
    <form class="fields" onSubmit={submit}>
      <Field label="Your comment">
        <textarea
          {...limitsOf('comment', 'text')}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            if (event.currentTarget.value.trim() === '') settle();
            else touch();
          }}
        />
      </Field>
      {problem !== undefined && <Trouble problem={problem} />}
      <p class="actions">
        <button type="submit" disabled={isBusy || text.trim() === ''}>
          Comment
        </button>
      </p>
    </form>
  );
}

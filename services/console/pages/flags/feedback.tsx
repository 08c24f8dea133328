import { useMay } from '../../api/caller.ts';
import { useResource } from '../../api/requests/resource.ts';
import { pathTo } from '../../state/paths/path.ts';
import type { Change, FeedbackRecord } from '../../types.ts';
import { say, isolate } from '#base/words';
import { DialogButton } from '../../ui/dialogs/dialog-button.tsx';
import { controlOf } from '../../ui/dialogs/control.ts';
import { ChangeDialog } from '../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../ui/dialogs/dialog.tsx';
import { Heading } from '../../ui/heading.tsx';
import { Cut } from '../../ui/lists/cut.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Empty, Name, Time } from '../../ui/parts.tsx';
import { feedbackSentence } from '../../state/sentences/index.ts';

const PATH = pathTo`api/admin/feedback`;
/** More would make the page slow; the API has all. */
const MAX_SHOWN = 200;

/** What people say about the product. */
export function Feedback() {
  const may = useMay();
  const feedback = useResource<readonly FeedbackRecord[]>(PATH);
  return (
    <>
      <Heading page="Feedback" answer={feedback.data && answerOf(feedback.data)}>
        {may('GIVE_FEEDBACK') && <GiveFeedback />}
      </Heading>
      <Loaded of={feedback} lines={6}>
        {(all) =>
          all.length === 0 ? (
            <Empty>Nobody has given feedback yet.</Empty>
          ) : (
            <>
              <Cut shown={MAX_SHOWN} total={all.length} of="answers, the newest ones" />
              <ul class="items">
                {all.slice(0, MAX_SHOWN).map((item) => (
                  <Item key={item.id} of={item} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </>
  );
}

function answerOf(all: readonly FeedbackRecord[]): string {
  const scores = all.flatMap(({ difficultyScore }) => (difficultyScore === null ? [] : [difficultyScore]));
  const sum = scores.reduce((before, score) => before + score, 0);
  return feedbackSentence(all.length, scores.length === 0 ? undefined : sum / scores.length);
}

function Item({ of }: { readonly of: FeedbackRecord }) {
  return (
    <li>
      <Name>{of.category}</Name>
      {of.difficultyScore !== null && <span class="muted">, ease {of.difficultyScore} of 7</span>}
      {of.positive !== null && <p>Liked: {isolate(of.positive)}</p>}
      {of.areasForImprovement !== null && <p>To improve: {isolate(of.areasForImprovement)}</p>}
      <p>
        <Time at={of.createdAt} />
        {of.userType !== null && say`, ${of.userType}`}
      </p>
    </li>
  );
}

function GiveFeedback() {
  return (
    <DialogButton label="Give feedback">
      {(close) => (
        <ChangeDialog
          title="Give feedback"
          action="Send"
          change={feedbackChange}
          done="Thank you. The feedback is stored in this flagmeter."
          onClose={close}
        >
          <Field label="Part of the product">
            <input {...controlOf('feedback', 'category')} />
          </Field>
          <Field label="How easy is it? 1 is hard, 7 is easy">
            <input {...controlOf('feedback', 'difficultyScore')} type="number" />
          </Field>
          <Field label="What do you like?">
            <textarea {...controlOf('feedback', 'positive')} />
          </Field>
          <Field label="What can be improved?">
            <textarea {...controlOf('feedback', 'areasForImprovement')} />
          </Field>
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

function feedbackChange(fields: FormData): Change {
  const { difficultyScore, ...texts } = Object.fromEntries([...fields].filter(([, value]) => value !== ''));
  const score = difficultyScore === undefined ? null : Number(difficultyScore);
  return { method: 'POST', path: PATH, body: { ...texts, difficultyScore: score } };
}

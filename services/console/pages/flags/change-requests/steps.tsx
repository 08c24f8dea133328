import { useState } from 'preact/hooks';
import { say } from '#base/words';
import { discardChange, stateChange, useDifferences } from './read-change-requests.ts';
import type { Change, ChangeRequest } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import type { Step } from '../../../state/change-request-steps.ts';
import { otherFeaturesSentence } from '../../../state/sentences/index.ts';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { Name } from '../../../ui/parts.tsx';
import { EvaluatedNow } from '../feature/switch/consequences.tsx';
import { useProduction } from '../feature/switch/production.ts';
import { Edits } from './edits.tsx';

type Words = {
  readonly title: string;
  /** The state that the step asks for. */
  readonly state: string;
  readonly key?: string;
  readonly consequence: string;
  readonly done: string;
};

const WORDS: Readonly<Record<Step, Words>> = {
  submit: {
    title: 'Ask for a review',
    state: 'In review',
    consequence: 'Others see the change request, and can approve it.',
    done: 'The change request is in review.',
  },
  approve: {
    title: 'Approve',
    state: 'Approved',
    key: 'a',
    consequence: 'Only an edit withdraws an approval. Nothing changes until somebody applies the request.',
    done: 'You approved the change request.',
  },
  reject: {
    title: 'Reject',
    state: 'Rejected',
    key: 'r',
    consequence: 'This is final. The author can open another change request.',
    done: 'The change request is rejected.',
  },
  apply: {
    title: 'Apply',
    state: 'Applied',
    consequence: 'All changes are made at once. To undo them, open another change request.',
    done: 'The changes are made.',
  },
  schedule: {
    title: 'Schedule',
    state: 'Scheduled',
    consequence: 'All changes are made at this time. Until then you can choose another time.',
    done: 'The change request is scheduled.',
  },
  cancel: {
    title: 'Cancel the request',
    state: 'Cancelled',
    consequence: 'This is final. The author can open another change request.',
    done: 'The change request is cancelled.',
  },
  discard: {
    title: 'Discard',
    state: '',
    consequence: 'The draft is deleted. This cannot be undone.',
    done: 'The draft is deleted.',
  },
};

type Props = { readonly of: ChangeRequest; readonly steps: readonly Step[] };

/** The next steps, each of which asks first. */
export function Steps({ of, steps }: Props) {
  const { router } = useConsole();
  const [open, setOpen] = useState<Step>();
  return (
    <>
      <p class="selection">
        {steps.map((step, at) => (
          <button
            key={step}
            type="button"
            class={at === 0 ? 'primary' : ''}
            data-key={WORDS[step].key}
            onClick={() => {
              setOpen(step);
            }}
          >
            {WORDS[step].title}
            {WORDS[step].key !== undefined && <kbd aria-hidden="true">{WORDS[step].key}</kbd>}
          </button>
        ))}
      </p>
      {open !== undefined && (
        <StepDialog
          of={of}
          step={open}
          onClose={() => {
            setOpen(undefined);
          }}
          onDone={() => {
            if (open === 'discard') router.go('change-requests');
          }}
        />
      )}
    </>
  );
}

type StepDialogProps = {
  readonly of: ChangeRequest;
  readonly step: Step;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

/** Decides on the version that is shown. If it was edited meanwhile, the dialog shows the edits and asks again. */
function StepDialog({ of, step, onClose, onDone }: StepDialogProps) {
  const zone = useConsole().preferences.zone.value;
  const { title, consequence, done } = WORDS[step];
  const [read] = useState(of.version);
  const edits = useDifferences(of, of.version > read ? read : undefined).data;
  const version = edits?.version ?? read;
  return (
    <ChangeDialog
      title={title}
      action={edits === undefined ? title : `${title}, with the edits`}
      change={(fields) => changeOf(of, step, { fields, isUtc: zone === 'UTC', version })}
      done={done}
      onClose={onClose}
      onDone={onDone}
    >
      <p>{consequence}</p>
      {(step === 'apply' || step === 'schedule') && <Reached of={of} />}
      {edits !== undefined && <Edits of={edits} />}
      {step === 'schedule' && (
        <Field label={say`Time (${zone})`}>
          <input name="scheduledAt" type="datetime-local" required />
        </Field>
      )}
      {step !== 'discard' && (
        <Field label="Comment (optional)">
          <textarea {...controlOf('stateChange', 'comment')} />
        </Field>
      )}
    </ChangeDialog>
  );
}

/** More of them help nobody to decide. */
const SHOWN = 3;

/** Who evaluates the features now that a request changes in production. */
function Reached({ of: { features, environment } }: Pick<Props, 'of'>) {
  const isProduction = useProduction();
  if (!isProduction(environment)) return null;
  const others = features.length - SHOWN;
  return (
    <>
      {features.slice(0, SHOWN).map(({ name }) => (
        <section key={name}>
          <h3>
            <Name>{name}</Name>
          </h3>
          <EvaluatedNow feature={name} environment={environment} />
        </section>
      ))}
      {others > 0 && <p>{otherFeaturesSentence(others)}</p>}
    </>
  );
}

type Given = {
  readonly fields: FormData;
  readonly isUtc: boolean;
  /** The version that the reader has seen. */
  readonly version: number;
};

function changeOf(of: ChangeRequest, step: Step, { fields, isUtc, version }: Given): Change {
  if (step === 'discard') return discardChange(of);
  const comment = textIn(fields, 'comment');
  const time = textIn(fields, 'scheduledAt');
  return stateChange(of, version, {
    state: WORDS[step].state,
    ...(comment === '' ? {} : { comment }),
    ...(time === '' ? {} : { scheduledAt: new Date(isUtc ? `${time}Z` : time).toISOString() }),
  });
}

function textIn(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

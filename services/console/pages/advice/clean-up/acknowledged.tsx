import { acknowledgeChange, removeAcknowledgementChange } from '../../../api/advice/recorded-verdicts.ts';
import { useMay } from '../../../api/caller.ts';
import type { Where } from '../../../state/may.ts';
import { kindOf } from '../../../state/verdicts/verdict-kinds.ts';
import type { Change, RecordedVerdict } from '../../../types.ts';
import { say } from '#base/words';
import { ChangeButton } from '../../../ui/dialogs/change-button.tsx';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Name, Section, Sentence, Time, Isolated } from '../../../ui/parts.tsx';

type AcknowledgedProps = { readonly recorded: readonly RecordedVerdict[]; readonly total: number };

/** The verdicts of which nobody is told, and why. */
export function Acknowledged({ recorded, total }: AcknowledgedProps) {
  if (recorded.length === 0) return null;
  return (
    <Section title="Acknowledged">
      <Cut shown={recorded.length} total={total} of="acknowledged verdicts, the newest ones" />
      <ul class="items">
        {recorded.map((one) => (
          <Line key={one.id} of={one} />
        ))}
      </ul>
    </Section>
  );
}

function Line({ of: recorded }: { readonly of: RecordedVerdict }) {
  const { verdict, subject, environment, acknowledgement } = recorded;
  const subjectName = subject === '' ? 'the installation' : subject;
  return (
    <li>
      <span class={`badge ${kindOf(verdict).tone}`}>{kindOf(verdict).title}</span> <Name>{subjectName}</Name>
      {environment !== '' && (
        <span class="muted">
          {' '}
          in <Isolated>{environment}</Isolated>
        </span>
      )}
      {acknowledgement !== null && (
        <p>
          <Name>{acknowledgement.by}</Name>: <Sentence>{acknowledgement.reason}</Sentence>{' '}
          {acknowledgement.until === null ? (
            'For ever.'
          ) : (
            <>
              Until <Time at={acknowledgement.until} />.
            </>
          )}
        </p>
      )}
      <div class="buttons">
        <ChangeButton
          needs="UPDATE_FEATURE"
          where={whereOf(recorded)}
          label={say`Tell again: ${kindOf(verdict).title} of ${subjectName}`}
          change={removeAcknowledgementChange(recorded)}
          done={say`People are told again that ${subjectName} is ${kindOf(verdict).title}.`}
        >
          Tell again
        </ChangeButton>
      </div>
    </li>
  );
}

/** Silences a verdict. Nothing is shown while its record is not known yet, or to a reader who may not. */
export function Acknowledge({ recorded }: { readonly recorded: RecordedVerdict | undefined }) {
  const may = useMay();
  if (recorded === undefined || !may('UPDATE_FEATURE', whereOf(recorded))) return null;
  const { title } = kindOf(recorded.verdict);
  return (
    <div class="buttons">
      <DialogButton label="Acknowledge" hint={say`Acknowledge ${title} of ${recorded.subject}`}>
        {(close) => (
          <ChangeDialog
            title="Tell nobody of this verdict"
            action="Acknowledge"
            change={(fields) => changeOf(recorded, fields)}
            done={say`Nobody is told that ${recorded.subject} is ${title}.`}
            undo={removeAcknowledgementChange(recorded)}
            onClose={close}
          >
            <p>
              {title}: <Name>{recorded.subject}</Name> in <Name>{recorded.environment}</Name>.
            </p>
            <Field label="Reason, for others">
              <input {...controlOf('acknowledgement', 'reason')} autocomplete="off" />
            </Field>
            <Field label="Until the end of this day (UTC); for ever if empty">
              <input name="until" type="date" min={new Date().toISOString().slice(0, 10)} />
            </Field>
          </ChangeDialog>
        )}
      </DialogButton>
    </div>
  );
}

/** Verdicts on applications and relays belong to no project. */
function whereOf({ project }: RecordedVerdict): Where {
  return project === null ? 'installation' : { project };
}

function changeOf(recorded: RecordedVerdict, fields: FormData): Change {
  const [reason, until] = [fields.get('reason'), fields.get('until')];
  return acknowledgeChange(
    recorded,
    typeof reason === 'string' ? reason : '',
    typeof until === 'string' && until !== '' ? `${until}T23:59:59.000Z` : null,
  );
}

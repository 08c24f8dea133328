import { moveChange } from '../../../api/advice/clean-ups.ts';
import { useMay } from '../../../api/caller.ts';
import { useConsole } from '../../../console.ts';
import type { CleanUp } from '../../../types.ts';
import { say } from '#base/words';
import { codeLeftSentence } from '../../../state/sentences/index.ts';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Field } from '../../../ui/dialogs/dialog.tsx';
import { controlOf } from '../../../ui/dialogs/control.ts';
import { textOf } from '../../../ui/dialogs/fields.ts';
import { Name, Sentence, Time, VerdictBadges } from '../../../ui/parts.tsx';
import { STAGES, shortUrl, titleOf } from './stages.ts';

type Props = { readonly of: CleanUp };

/** A flag of the board: what is known of its removal, and a button to move it. */
export function Card({ of: card }: Props) {
  const { router } = useConsole();
  const { featureName, project, owner, since, movedBy } = card;
  return (
    <li>
      <a href={router.linkTo('features', featureName)} aria-label={say`${featureName} on the board`}>
        <Name>{featureName}</Name>
      </a>
      <p class="muted">
        <Name>{project}</Name>
        {owner !== null && (
          <>
            , <Name>{owner}</Name>
          </>
        )}
      </p>
      <Known of={card} />
      <p class="muted">
        Since <Time at={since} />
        {movedBy !== null && (
          <>
            , moved by <Name>{movedBy}</Name>
          </>
        )}
      </p>
      <Move of={card} />
    </li>
  );
}

/** What the stage of the card is known by. */
export function Known({ of: card }: Props) {
  const { stage, verdicts, told, lastSeenAt, codeReferences } = card;
  if (stage === 'archived') return <RemovedBy of={card} />;
  if (stage === 'found') return <VerdictBadges verdicts={verdicts.filter(isNoEvidence)} />;
  if (stage === 'told')
    return (
      told && (
        <p>
          Told <Name>{told.to}</Name>, <Time at={told.at} />
        </p>
      )
    );
  return (
    <>
      <RemovedBy of={card} />
      {codeReferences !== null && <p>{codeLeftSentence(codeReferences, stage === 'gone')}</p>}
      {lastSeenAt !== null && (
        <p>
          Evaluated last in the hour of <Time at={lastSeenAt} />
        </p>
      )}
    </>
  );
}

/** Evidence is no reason of its own. */
function isNoEvidence({ verdict }: { readonly verdict: string }): boolean {
  return verdict !== 'archive_evidence';
}

function RemovedBy({ of: { project, url, changeRequestId } }: Props) {
  const { router } = useConsole();
  return (
    <>
      {url !== null && (
        <p>
          <a href={url} rel="noreferrer">
            <Name>{shortUrl(url)}</Name>
          </a>
        </p>
      )}
      {changeRequestId !== null && (
        <p>
          <a href={router.linkTo('change-requests', project, String(changeRequestId))}>
            Change request {changeRequestId}
          </a>
        </p>
      )}
    </>
  );
}

/** A button that moves the flag on, for those who may. */
export function Move({ of: card }: Props) {
  const may = useMay();
  const { featureName, project, stage, url, verdicts } = card;
  if (stage === 'archived' || !may('UPDATE_FEATURE', { project })) return null;
  const movable = STAGES.filter(({ id }) => id !== 'archived');
  const next = movable[movable.findIndex(({ id }) => id === stage) + 1]?.id ?? stage;
  return (
    <DialogButton label="Move" hint={say`Move ${featureName}`}>
      {(close) => (
        <ChangeDialog
          title="Move on the board"
          action="Move"
          change={(fields) => moveChange(card, textOf(fields, 'stage'), textOf(fields, 'url') || null)}
          done={say`${featureName} is moved.`}
          undo={moveChange(card, stage, url)}
          onClose={close}
        >
          <p>
            <Name>{featureName}</Name> is in {titleOf(stage)}.
          </p>
          {verdicts.filter(isNoEvidence).map(({ verdict, environment, sentence }) => (
            <p key={`${verdict} ${environment}`}>
              <Name>{environment}</Name>: <Sentence>{sentence}</Sentence>
            </p>
          ))}
          <Field label="To">
            <select name="stage">
              {movable.map(({ id, title }) => (
                <option key={id} value={id} selected={id === next}>
                  {title}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Address of a pull request or a ticket; empty if none">
            <input {...controlOf('cleanUp', 'url')} type="url" autocomplete="off" defaultValue={url ?? ''} />
          </Field>
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

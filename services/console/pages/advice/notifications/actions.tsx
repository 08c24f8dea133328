import { useResource } from '../../../api/requests/resource.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Deliveries as Answer, Delivery, Subscription } from '../../../types.ts';
import { say } from '#base/words';
import { attemptsWords } from '../../../state/sentences/index.ts';
import { ChangeButton } from '../../../ui/dialogs/change-button.tsx';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { ChangeDialog } from '../../../ui/dialogs/change-dialog.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Isolated, Sentence, Time } from '../../../ui/parts.tsx';

type Props = { readonly of: Subscription };

export const PATH = pathTo`api/admin/notifications`;
const LIMIT = 50;
/** A message that was just queued is sent within a second. */
const EVERY_MS = 2000;

export function Test({ of: { id, name } }: Props) {
  return (
    <ChangeButton
      needs="ADMIN"
      label={say`Test ${name}`}
      change={{ method: 'POST', path: pathTo`${PATH}/${id}/test` }}
      done="A message is being sent. Messages shows whether it arrived."
    >
      Test
    </ChangeButton>
  );
}

export function Switch({ of: { id, name, enabled } }: Props) {
  const changeTo = (next: boolean) =>
    ({ method: 'PUT', path: pathTo`${PATH}/${id}`, body: { enabled: next } }) as const;
  return (
    <ChangeButton
      needs="ADMIN"
      label={say`${enabled ? 'Disable' : 'Enable'} ${name}`}
      change={changeTo(!enabled)}
      done={say`${name} is ${enabled ? 'disabled' : 'enabled'}.`}
      undo={changeTo(enabled)}
    >
      {enabled ? 'Disable' : 'Enable'}
    </ChangeButton>
  );
}

export function Remove({ of: { id, name } }: Props) {
  return (
    <DialogButton label="Delete" hint={say`Delete ${name}`}>
      {(close) => (
        <ChangeDialog
          title="Delete this subscription"
          action="Delete"
          change={() => ({ method: 'DELETE', path: pathTo`${PATH}/${id}` })}
          done={say`${name} is deleted.`}
          mustType={name}
          onClose={close}
        >
          <p>Its messages are deleted too, also those that were not sent yet.</p>
        </ChangeDialog>
      )}
    </DialogButton>
  );
}

export function Messages({ of: subscription }: Props) {
  return (
    <DialogButton label="Messages" hint={say`Messages of ${subscription.name}`}>
      {(close) => (
        <Dialog title={say`Messages of ${subscription.name}`} onClose={close}>
          <Deliveries of={subscription} />
          <p class="actions">
            <button type="button" onClick={close}>
              Close
            </button>
          </p>
        </Dialog>
      )}
    </DialogButton>
  );
}

function Deliveries({ of: { id } }: Props) {
  const deliveries = useResource<Answer>(pathTo`${PATH}/${id}/deliveries?limit=${LIMIT}`, {
    everyMs: EVERY_MS,
  });
  return (
    <Loaded of={deliveries} lines={4}>
      {(data) =>
        data.deliveries.length === 0 ? (
          <Empty>There was nothing to tell in the last 30 days.</Empty>
        ) : (
          <>
            <Cut shown={data.deliveries.length} total={data.total} of="messages, the newest ones" />
            <ul class="items bounded" tabIndex={0} aria-label="Messages">
              {data.deliveries.map((delivery) => (
                <li key={delivery.id}>
                  <Sentence>{delivery.sentence}</Sentence>
                  <p>
                    <State of={delivery} />
                  </p>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  );
}

function State({ of: { state, attempts, problem, createdAt, nextAttemptAt } }: { readonly of: Delivery }) {
  return (
    <>
      <Time at={createdAt} />, {WORDS[state]}
      {state === 'failed' || state === 'pending' ? attemptsWords(attempts) : ''}
      {nextAttemptAt !== null && (
        <>
          , next at <Time at={nextAttemptAt} />
        </>
      )}
      {problem !== null && (
        <>
          . <Isolated>{problem}</Isolated>
        </>
      )}
    </>
  );
}

const WORDS = {
  held: 'waits for a summary',
  gathered: 'was told in a summary',
  pending: 'is being sent',
  delivered: 'has arrived',
  failed: 'was given up',
} as const satisfies Record<Delivery['state'], string>;

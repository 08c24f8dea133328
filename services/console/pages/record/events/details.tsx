import { useState } from 'preact/hooks';
import type { Event } from '../../../types.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Comment } from '../../../ui/lists/event-list.tsx';
import { Name, Time } from '../../../ui/parts.tsx';

/** A button that shows what an event changed. */
export function Details({ of: event }: { readonly of: Event }) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
  };
  const words = event.type.replaceAll('-', ' ');
  return (
    <>
      <button
        type="button"

        onClick={() => {
          setOpen(true);
        }}
      >
        Details<span class="visually-hidden"> of {words}</span>
      </button>
      {isOpen && (
        <Dialog title={words} onClose={close}>
          <p class="muted">
            <Time at={event.createdAt} /> by <Name>{event.createdBy}</Name>
          </p>
          {event.comment !== undefined && <Comment of={event.comment} />}
          <div class="columns">
            <State title="Before" of={event.preData} />
            <State title="After" of={event.data} />
          </div>
          <p class="actions">
            <button type="button" onClick={close}>
              Close
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}

function State({ title, of }: { readonly title: string; readonly of: unknown }) {
  return (
    <section>
      <h3>{title}</h3>
      {of === null ? <p class="muted">–</p> : <pre tabIndex={0}>{JSON.stringify(of, undefined, 2)}</pre>}
    </section>
  );
}

import type { RefObject } from 'preact';
import type { Entry } from './entries.ts';

type Props = { readonly dialog: RefObject<HTMLDialogElement>; readonly entries: readonly Entry[] };

/** All keys, in a dialog that the reader opens. */
export function KeyList({ dialog, entries }: Props) {
  return (
    <dialog ref={dialog} aria-label="Keys">
      <h2>Keys</h2>
      <dl class="keys">
        <Key keys="Ctrl k" does="go to a flag, an application or a page" />
        <Key keys="/" does="search" />
        {entries.map(({ key, title }) => (
          <Key key={key} keys={`g ${key}`} does={title} />
        ))}
        <Key keys="↑ ↓" does="previous or next row" />
        <Key keys="Enter" does="open the row" />
        <Key keys="s" does="star or unstar the feature of the row" />
        <Key keys="x" does="select the flag of the row" />
        <Key keys="a" does="approve the change request" />
        <Key keys="r" does="reject the change request" />
        <Key keys="Esc" does="leave the search, close a dialog" />
        <Key keys="?" does="this list" />
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

function Key({ keys, does }: { readonly keys: string; readonly does: string }) {
  return (
    <div>
      <dt>
        {keys.split(' ').map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}

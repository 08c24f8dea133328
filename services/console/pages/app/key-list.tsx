import { Dialog } from '../../ui/dialogs/dialog.tsx';
import type { Entry } from './entries.ts';

type Props = { readonly entries: readonly Entry[]; readonly onClose: () => void };

/** All keys, and the way to the documents. */
export function KeyList({ entries, onClose }: Props) {
  return (
    <Dialog title="Help" onClose={onClose}>
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
      <p>
        <a href="help/" target="_blank" rel="noreferrer">
          All documents of this version
        </a>
      </p>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </Dialog>
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

import type { Entry } from './entries.ts';
import { FormKeeper } from './form-keeper.tsx';
import { KeyList } from './key-list.tsx';
import { Palette } from './palette/palette.tsx';

export type Opened = 'keys' | 'palette' | undefined;

type Props = {
  readonly opened: Opened;
  readonly entries: readonly Entry[];
  readonly onSignOut: (() => void) | undefined;
  readonly onClose: () => void;
};

/** What lies over a page: the list of keys, the palette, and what keeps the text of its forms. */
export function OverPage({ opened, entries, onSignOut, onClose }: Props) {
  return (
    <>
      {opened === 'keys' && <KeyList entries={entries} onClose={onClose} />}
      {opened === 'palette' && <Palette entries={entries} onSignOut={onSignOut} onClose={onClose} />}
      <FormKeeper />
    </>
  );
}

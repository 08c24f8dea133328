import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Permission } from '#base/tokens';
import { useCaller, useMay } from '../../api/caller.ts';
import { useConsole } from '../../console.ts';
import type { Where } from '../../state/may.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { useKeys } from './keys.ts';
import { NoticeLine } from './notice.tsx';
import { useSignOut } from './sign-out.ts';
import { Switches } from './switches.tsx';

type Entry = {
  readonly title: string;
  readonly path: string;
  readonly key: string;
  readonly icon: IconName;
  /** Who lacks it does not see the page. By default it is needed in the whole installation. */
  readonly needs?: Permission;
  readonly where?: Where;
  /** Begins the pages that are opened seldom. */
  readonly isFirstOfGroup?: boolean;
};

const ENTRIES: readonly Entry[] = [
  { title: 'Overview', path: '', key: 'o', icon: 'overview' },
  { title: 'Features', path: 'features', key: 'f', icon: 'features' },
  { title: 'Clean-up', path: 'clean-up', key: 'c', icon: 'cleanUp' },
  { title: 'Change requests', path: 'change-requests', key: 'q', icon: 'changeRequests' },
  { title: 'Events', path: 'events', key: 'e', icon: 'events', needs: 'READ_EVENTS', where: 'anywhere' },
  { title: 'Applications', path: 'applications', key: 'a', icon: 'applications', needs: 'READ' },
  { title: 'Impact metrics', path: 'impact-metrics', key: 'i', icon: 'impact', needs: 'READ' },
  { title: 'Relays', path: 'relays', key: 'l', icon: 'relays', needs: 'READ' },
  { title: 'Strategies', path: 'strategies', key: 's', icon: 'strategies', isFirstOfGroup: true },
  { title: 'Feedback', path: 'feedback', key: 'b', icon: 'feedback', needs: 'READ' },
  { title: 'Notifications', path: 'notifications', key: 'm', icon: 'notifications', needs: 'ADMIN' },
  { title: 'Tokens', path: 'tokens', key: 't', icon: 'tokens' },
  { title: 'Access', path: 'access', key: 'p', icon: 'access', needs: 'MANAGE_ACCESS', where: 'anywhere' },
  { title: 'Users', path: 'users', key: 'u', icon: 'users', needs: 'ADMIN' },
  { title: 'Refused', path: 'refused', key: 'r', icon: 'refused', needs: 'READ' },
  { title: 'Accounting', path: 'accounting', key: 'n', icon: 'accounting', needs: 'READ' },
];

/** The name of the page at this path. */
export function titleOf([path = '']: readonly string[]): string {
  return ENTRIES.find((place) => place.path === path)?.title ?? '';
}

/** Navigation, switches, keys and their list around a page. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { router, session } = useConsole();
  const signOut = useSignOut();
  const help = useRef<HTMLDialogElement>(null);
  const { entries, isFinal } = useNavigation();
  useKeys({
    go: Object.fromEntries(entries.map(({ key, path }) => [key, path])),
    showHelp: () => help.current?.showModal(),
  });
  return (
    <div class="shell">
      <nav aria-label="Pages" aria-busy={!isFinal}>
        <a class="brand" href={router.linkTo()} aria-label="flagmeter, overview">
          <Icon name="brand" />
          <span>flagmeter</span>
        </a>
        <Navigation entries={entries} />
        <Switches
          onHelp={() => help.current?.showModal()}
          onSignOut={session.authType === 'none' ? undefined : signOut}
        />
      </nav>
      <main>{children}</main>
      <NoticeLine />
      <dialog ref={help} aria-label="Keys">
        <h2>Keys</h2>
        <dl class="keys">
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
    </div>
  );
}

/** The pages that the caller may read; all until the caller is known, so that nothing moves for most callers. */
function useNavigation(): { readonly entries: readonly Entry[]; readonly isFinal: boolean } {
  const { data, problem } = useCaller();
  const may = useMay();
  const isShown = ({ needs, where }: Entry) => needs === undefined || data === undefined || may(needs, where);
  return { entries: ENTRIES.filter(isShown), isFinal: data !== undefined || problem !== undefined };
}

function Navigation({ entries }: { readonly entries: readonly Entry[] }) {
  const { router } = useConsole();
  const list = useRef<HTMLUListElement>(null);
  const current = router.route.value.parts[0] ?? '';
  // The bar of a phone scrolls.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <ul ref={list}>
      {entries.map(({ title, path, icon, isFirstOfGroup = false }) => (
        <li key={path} class={isFirstOfGroup ? 'group' : ''}>
          <a
            href={router.linkTo(...(path === '' ? [] : [path]))}
            aria-current={path === current ? 'page' : undefined}
            title={title}
          >
            <Icon name={icon} />
            <span>{title}</span>
          </a>
        </li>
      ))}
    </ul>
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

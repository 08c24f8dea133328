import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useCaller, useMay } from '../../api/caller.ts';
import { useConsole } from '../../console.ts';
import { Icon } from '../../ui/icon.tsx';
import { Later } from '../later.tsx';
import { ENTRIES, type Entry } from './entries.ts';
import { useKeys } from './keys.ts';
import type { Opened } from './over-page.tsx';
import { useSignOut } from './sign-out.ts';
import { Switches } from './switches.tsx';

/** Navigation, switches, keys and their list around a page. */
type ShellProps = {
  /** While nobody is signed in, although a form holds what somebody typed. */
  readonly isHidden: boolean;
  readonly children: ComponentChildren;
};

export function Shell({ isHidden, children }: ShellProps) {
  const { forms, notice, router, session } = useConsole();
  const signOut = useSignOut();
  const onSignOut = session.authType === 'none' ? undefined : signOut;
  const [opened, setOpened] = useState<Opened>();
  const { entries, isFinal } = useNavigation();
  useKeys({
    go: Object.fromEntries(entries.map(({ key, path }) => [key, path])),
    showHelp: () => {
      setOpened('keys');
    },
    showPalette: () => {
      setOpened('palette');
    },
  });
  return (
    <div class={isHidden ? 'shell hidden' : 'shell'}>
      <nav aria-label="Pages" aria-busy={!isFinal}>
        <button type="button" class="skip" onClick={skipToPage}>
          Skip to the page
        </button>
        <a class="brand" href={router.linkTo()} aria-label="flagmeter, overview">
          <Icon name="brand" />
          <span>flagmeter</span>
        </a>
        <Navigation entries={entries} />
        <Switches
          onHelp={() => {
            setOpened('keys');
          }}
          onSignOut={onSignOut}
        />
      </nav>
      <main>{children}</main>
      <div class="notice-place" role="status">
        {notice.value !== undefined && <Later>{({ NoticeLine }) => <NoticeLine />}</Later>}
      </div>
      {(opened !== undefined || forms.isTouched.value) && (
        <Later>
          {({ OverPage }) => (
            <OverPage
              opened={opened}
              entries={entries}
              onSignOut={onSignOut}
              onClose={() => {
                setOpened(undefined);
              }}
            />
          )}
        </Later>
      )}
    </div>
  );
}

/** Past the navigation. It is no link, because the fragment of the URL is the place. */
function skipToPage(): void {
  document.querySelector<HTMLElement>('main h1')?.focus();
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

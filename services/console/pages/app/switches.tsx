import { useConsole } from '../../console.ts';
import type { Theme } from '../../state/app/preferences.ts';
import { localZone } from '../../state/time/local-zone.ts';
import { useCaller } from '../../api/caller.ts';
import { Icon } from '../../ui/icon.tsx';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

type Actions = { readonly onHelp: () => void; readonly onSignOut: (() => void) | undefined };

/** Theme, time zone, keys and sign-out, at the end of the navigation. */
export function Switches({ onHelp, onSignOut }: Actions) {
  const { theme, chosenZone } = useConsole().preferences;
  return (
    <div class="switches">
      <button
        type="button"
        title="Time zone of all times"
        onClick={() => {
          chosenZone.value = chosenZone.value === 'UTC' ? 'local' : 'UTC';
        }}
      >
        <Icon name="clock" />
        <span>
          {chosenZone.value === 'UTC'
            ? 'UTC'
            : localZone() === undefined
              ? 'Unknown zone: UTC'
              : 'Local time'}
        </span>
      </button>
      <button
        type="button"
        title="Light, dark, or as the system"
        onClick={() => {
          theme.value = NEXT[theme.value];
        }}
      >
        <Icon name="theme" />
        <span>{{ system: 'System theme', light: 'Light theme', dark: 'Dark theme' }[theme.value]}</span>
      </button>
      <button type="button" title="Help and keys (?)" class="help" onClick={onHelp}>
        <Icon name="keys" />
        <span>Help</span>
      </button>
      <SignedIn />
      {onSignOut !== undefined && (
        <button type="button" title="Sign out" onClick={onSignOut}>
          <Icon name="signOut" />
          <span>Sign out</span>
        </button>
      )}
    </div>
  );
}

/** Who signed in; nothing for a token, which the page of tokens names. */
function SignedIn() {
  const { data } = useCaller();
  if (data?.authentication.type !== 'session') return null;
  return (
    <p class="who" title="Signed in">
      {data.user.email ?? data.user.username}
    </p>
  );
}

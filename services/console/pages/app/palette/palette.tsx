import { useEffect, useId, useState } from 'preact/hooks';
import { useConsole } from '../../../console.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Name } from '../../../ui/parts.tsx';
import type { Entry } from '../entries.ts';
import { type Choice, choicesWith, nextChoice } from './choices.ts';
import { useActions } from './actions.ts';
import { type Found, useFound } from './found.ts';

type Props = {
  readonly entries: readonly Entry[];
  readonly onSignOut: (() => void) | undefined;
  readonly onClose: () => void;
};

/** While somebody types, each key would ask the server. */
const PAUSE_MS = 150;

/** Goes to any flag, application or page, and does what the whole console can do. */
export function Palette({ entries, onSignOut, onClose }: Props) {
  const list = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [isAwaited, setAwaited] = useState(false);
  const { choices, isLooking } = useChoices(text.trim(), { entries, onSignOut });
  const chosen = Math.min(at, choices.length - 1);
  const choose = (choice: Choice | undefined): void => {
    onClose();
    // oxlint-disable-next-line typescript/no-floating-promises -- outcomes are told in the notice
    choice?.run();
  };
  // Somebody types a name and presses Enter before it is found.
  useEffect(() => {
    if (isAwaited && !isLooking && choices.length > 0) choose(choices[0]);
  });
  return (
    <Dialog title="Go to" isForm={false} onClose={onClose}>
      <input
        type="text"
        class="palette-search"
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={choices.length === 0 ? undefined : `${list}-${chosen}`}
        aria-label="Flag, application, page or action"
        placeholder="Flag, application, page or action"
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
          setAwaited(false);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            if (choices.length > 0) choose(choices[chosen]);
            else setAwaited(true);
          } else if (event.key === 'ArrowDown') setAt(nextChoice(chosen, 1, choices.length));
          else if (event.key === 'ArrowUp') setAt(nextChoice(chosen, -1, choices.length));
          else return;
          event.preventDefault();
        }}
      />
      <ul id={list} role="listbox" aria-label="Found" class="palette">
        {choices.map((choice, place) => (
          <Line
            key={`${choice.kind} ${choice.title}`}
            id={`${list}-${place}`}
            of={choice}
            isChosen={place === chosen}
            onChoose={choose}
          />
        ))}
      </ul>
      {choices.length === 0 && <p class="empty">{isLooking ? 'Searching …' : 'Nothing matches.'}</p>}
    </Dialog>
  );
}

/** What matches a search: flags and applications, pages, and actions. */
function useChoices(search: string, { entries, onSignOut }: Pick<Props, 'entries' | 'onSignOut'>): Found {
  const { router } = useConsole();
  const calm = useCalm(search);
  const found = useFound(calm);
  const pages = entries.map(({ title, path }) => ({
    kind: 'Page',
    title,
    run() {
      router.go(...(path === '' ? [] : [path]));
    },
  }));
  return {
    choices: [
      // What was found for an earlier text may not match any more.
      ...(calm === search ? found.choices : choicesWith(found.choices, search)),
      ...choicesWith([...pages, ...useActions(onSignOut)], search),
    ],
    isLooking: calm !== search || found.isLooking,
  };
}

type LineProps = {
  readonly id: string;
  readonly of: Choice;
  readonly isChosen: boolean;
  readonly onChoose: (choice: Choice) => void;
};

function Line({ id, of: choice, isChosen, onChoose }: LineProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      ref={(element) => {
        if (isChosen) element?.scrollIntoView({ block: 'nearest' });
      }}
      onClick={() => {
        onChoose(choice);
      }}
    >
      <Name>{choice.title}</Name> <span class="muted">{choice.kind}</span>
    </li>
  );
}

/** The text, once it has stayed the same for a moment. */
function useCalm(text: string): string {
  const [calm, setCalm] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setCalm(text);
    }, PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [text]);
  return calm;
}
